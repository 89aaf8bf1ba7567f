import { type MethodDefinition, type ServiceDefinition, status } from "@grpc/grpc-js";

/** What a player does in the methods of a service: plain functions, from request to response. */
export type Functions<Service> = {
  [Name in keyof Service]: Service[Name] extends MethodDefinition<infer Request, infer Response>
    ? (request: Request) => Response | Promise<Response>
    : never;
};

/** A service with the functions behind it, whatever their types. */
export interface Served {
  service: ServiceDefinition;
  functions: Record<string, (request: any) => unknown>;
}

/** A call that cannot be answered. Anything else that a function throws is a fault of the player. */
export class CallError extends Error {
  constructor(
    readonly code: status,
    message: string,
  ) {
    super(message);
  }
}

/** What gRPC is told of anything that was thrown. */
export function failure(problem: unknown): { code: status; message: string } {
  if (problem instanceof CallError) {
    return { code: problem.code, message: problem.message };
  }
  console.error(problem);
  return { code: status.UNKNOWN, message: String(problem) };
}
