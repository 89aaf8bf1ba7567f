"""Asks a server what the player to move may do in a state of Fish: python ask.py ADDRESS STATE.json"""

import sys
from pathlib import Path

import grpc
from google.protobuf import json_format

from fairplay.v1.rules_pb2 import ApplyReplyRequest, CheckReplyRequest, ListLegalRepliesRequest, Position
from fairplay.v1.rules_pb2_grpc import RulesServiceStub

address, file = sys.argv[1:]
position = Position(game="fish", seat=0)
json_format.Parse(Path(file).read_text(), position.state.fish)
with grpc.insecure_channel(address) as channel:
    rules = RulesServiceStub(channel)
    found = rules.ListLegalReplies(ListLegalRepliesRequest(position=position))
    print(f"{found.method_name}: {found.reply_count} legal replies")
    reply = found.replies[0]
    checked = rules.CheckReply(CheckReplyRequest(position=position, reply=reply))
    print(f"broken rule: {checked.rule_break.rule_id or 'none'}")
    after = rules.ApplyReply(ApplyReplyRequest(position=position, reply=reply)).state.fish
    print(f"revision {position.state.fish.revision} becomes {after.revision}")
