from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Settings(_message.Message):
    __slots__ = ("heaps", "largest", "most")
    HEAPS_FIELD_NUMBER: _ClassVar[int]
    LARGEST_FIELD_NUMBER: _ClassVar[int]
    MOST_FIELD_NUMBER: _ClassVar[int]
    heaps: int
    largest: int
    most: int
    def __init__(self, heaps: _Optional[int] = ..., largest: _Optional[int] = ..., most: _Optional[int] = ...) -> None: ...

class State(_message.Message):
    __slots__ = ("revision", "heaps", "most", "players")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    HEAPS_FIELD_NUMBER: _ClassVar[int]
    MOST_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    heaps: _containers.RepeatedScalarFieldContainer[int]
    most: int
    players: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, revision: _Optional[int] = ..., heaps: _Optional[_Iterable[int]] = ..., most: _Optional[int] = ..., players: _Optional[_Iterable[int]] = ...) -> None: ...

class PlayAsRequest(_message.Message):
    __slots__ = ("game_id", "seat")
    GAME_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    game_id: str
    seat: int
    def __init__(self, game_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class PlayAsResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class TakeRequest(_message.Message):
    __slots__ = ("game_id", "seat", "state")
    GAME_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    game_id: str
    seat: int
    state: State
    def __init__(self, game_id: _Optional[str] = ..., seat: _Optional[int] = ..., state: _Optional[_Union[State, _Mapping]] = ...) -> None: ...

class TakeResponse(_message.Message):
    __slots__ = ("heap", "match_count")
    HEAP_FIELD_NUMBER: _ClassVar[int]
    MATCH_COUNT_FIELD_NUMBER: _ClassVar[int]
    heap: int
    match_count: int
    def __init__(self, heap: _Optional[int] = ..., match_count: _Optional[int] = ...) -> None: ...
