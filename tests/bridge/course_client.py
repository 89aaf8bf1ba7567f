# mypy: ignore-errors
"""A client of a course, as students write them: sockets and JSON only. GAME PORT [NAME [FAULT]]."""

import json
import socket
import sys
import time
from pathlib import Path

game, port, name, fault = (*sys.argv[1:], "ann", "none")[:4]
connection = socket.create_connection(("localhost", int(port)), timeout=600)
decoder, text, called, heard = json.JSONDecoder(), "", 0, set()


def receive():
    global text  # noqa: PLW0603 - as students do
    while True:
        text = text.lstrip()
        try:
            value, end = decoder.raw_decode(text)
        except ValueError:
            if not (piece := connection.recv(4096)):
                sys.exit()
            text += piece.decode()
            continue
        text = text[end:]
        return value


def send(value, whole=None):
    data = (json.dumps(value) if whole is None else whole).encode()
    if fault == "trickled":
        data = b" " * 2040 + data
        for start in range(0, len(data), 23):
            connection.sendall(data[start : start + 23])
            time.sleep(0.0002)
    else:
        connection.sendall(data)


def steps(row):
    odd = row % 2
    return [(-2, 0), (-1, odd), (1, odd), (2, 0), (1, odd - 1), (-1, odd - 1)]


def fish(method, state, *_):
    board, taken = state["board"], [place for each in state["players"] for place in each["places"]]
    free = {(r, c) for r, row in enumerate(board) for c, tile in enumerate(row) if tile and [r, c] not in taken}
    if method == "setup":
        return list(min(free))
    for row, column in state["players"][0]["places"]:
        for down, right in steps(row):
            if (target := (row + down, column + right)) in free:
                return [[row, column], list(target)]
    return False


if fault == "leaves":
    sys.exit("I have no wish to play")
whole = {"bare-name": "ann", "eager": '"ann" "void"'}
send({"bad-name": "a b", "digits": "ann7"}.get(fault, name), whole.get(fault))
if fault == "tires":
    connection.settimeout(0.5)
until = Path(fault)
while True:
    method, arguments = receive()
    called += 1
    deciding = method in {"take-turn", "request-pebble-or-trades", "request-cards"} or (game, method) == (
        "fish",
        "setup",
    )
    heard.add(method)
    if fault == "careful" and deciding and not heard >= ({"start", "playing-as"} if game == "fish" else {"setup"}):
        sys.exit("I have not been told of this game")
    while fault.startswith("/") and not until.exists():
        time.sleep(0.05)
    answer = "void"
    if deciding:
        answer = fish(method, *arguments) if game == "fish" else "pass" if game == "q" else []
    if called < 3 or not deciding:
        if fault == "bare-void" and not deciding:
            send("", "void")
            continue
        send(answer)
    elif fault == "hangs-once":
        fault = "none"
        time.sleep(2)
        send(answer)
    elif fault == "closes":
        sys.exit("I close now")
    elif fault == "twice":
        send(answer, json.dumps(answer) * 2)
    elif fault == "length":
        send("", str(len(json.dumps(answer))) + json.dumps(answer))
    elif fault == "wrong-form":
        send({"answer": answer})
    else:
        send(answer)
    if method in {"win", "end"}:
        break
