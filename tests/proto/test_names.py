"""Names that generators of other languages would turn into the same accessor, or into a reserved word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from tests.proto.schema import PATHS, enums, file, files, messages

WORDS = {
    "C#": """abstract as base bool break byte case catch char checked class const continue decimal default
        delegate do double else enum event explicit extern false finally fixed float for foreach goto if
        implicit in int interface internal is lock long namespace new null object operator out override
        params private protected public readonly ref return sbyte sealed short sizeof stackalloc static
        string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual
        void volatile while""",
    "C++": """alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const
        constexpr continue co_await co_return co_yield decltype default delete do double else enum explicit
        export extern false float for friend goto if inline int long mutable namespace new noexcept not
        nullptr operator or private protected public register requires return short signed sizeof static
        struct switch template this throw true try typedef typeid typename union unsigned using virtual void
        volatile wchar_t while xor NULL""",
    "Dart": """abstract as assert async await break case catch class const continue covariant default deferred do
        dynamic else enum export extends extension external factory false final finally for get if
        implements import in interface is late library mixin new null on operator part required rethrow
        return set static super switch sync this throw true try typedef var void while with yield""",
    "Go": """break case chan const continue default defer else fallthrough for func go goto if import interface
        map package range return select struct switch type var""",
    "Java": """abstract assert boolean break byte case catch char class const continue default do double else enum
        extends final finally float for goto if implements import instanceof int interface long native new
        package private protected public return short static strictfp super switch synchronized this throw
        throws transient try void volatile while true false null""",
    "JavaScript": """await break case catch class const continue debugger default delete do else enum export extends
        false finally for function if implements import in instanceof interface let new null package private
        protected public return static super switch this throw true try typeof var void while with yield
        constructor""",
    "Kotlin": """as break class continue do else false for fun if in interface is null object package return super
        this throw true try typealias typeof val var when while""",
    "Python": """False None True and as assert async await break class continue def del elif else except finally for
        from global if import in is lambda nonlocal not or pass raise return try while with yield""",
    "Ruby": """alias and begin break case class def defined do else elsif end ensure false for if in module next
        nil not or redo rescue retry return self super then true undef unless until when while yield hash
        method""",
    "Rust": """as async await break const continue crate dyn else enum extern false fn for if impl in let loop
        match mod move mut pub ref return self static struct super trait true type unsafe use where while
        abstract become box do final macro override priv try typeof unsized virtual yield""",
    "Swift": """associatedtype class deinit enum extension fileprivate func import init inout internal let open
        operator private precedencegroup protocol public rethrows static struct subscript typealias var
        break case catch continue default defer do else fallthrough for guard if in repeat return throw
        switch where while Any as await catch false is nil self super throws true try""",
}
RESERVED = {word: language for language, words in WORDS.items() for word in words.split()}

HARMLESS = {
    "event": "C# makes a property Event of it",
    "extension": "Swift puts it into backticks",
    "part": "Dart allows it as the name of a member",
}
"""Field -> why a reserved word does no harm there."""


def pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def accessors(field: FieldDescriptor) -> Iterator[tuple[str, str]]:
    """Yield (language, name) of what generators make of a field and call without arguments."""
    name, capital = field.name, pascal(field.name)
    message = field.message_type is not None
    yield from (("Java", f"get{capital}"), ("Go", f"Get{capital}"), ("C++", name), ("C#", capital), ("Swift", capital))
    if field.is_repeated:
        yield from (("Java", f"get{capital}List"), ("Java", f"get{capital}Count"), ("C++", f"{name}_size"))
        yield from (("Kotlin", f"{capital}List"), ("Kotlin", f"{capital}Count"))
        if field.enum_type:
            yield "Java", f"get{capital}ValueList"
        if message:
            yield from (("Java", f"get{capital}OrBuilderList"), ("Java", f"get{capital}BuilderList"))
    else:
        yield "Kotlin", capital
        if field.enum_type:
            yield from (("Java", f"get{capital}Value"), ("Kotlin", f"{capital}Value"))
        if field.type == FieldDescriptor.TYPE_STRING:
            yield "Java", f"get{capital}Bytes"
        if message:
            yield from (("Java", f"get{capital}OrBuilder"), ("Java", f"get{capital}Builder"))
    if field.has_presence:
        yield from (
            ("Java", f"has{capital}"),
            ("C++", f"has_{name}"),
            ("C#", f"Has{capital}"),
            ("Swift", f"Has{capital}"),
        )
    yield from (("C++", f"{verb}_{name}") for verb in ("clear", "set", "mutable", "release", "add"))
    yield from (("C#", f"Clear{capital}"), ("C#", f"{capital}FieldNumber"), ("Swift", f"Clear{capital}"))


OWN = {
    "Java": """getClass getSerializedSize getDescriptorForType getUnknownFields getParserForType getAllFields
        getDefaultInstanceForType getDefaultInstance getDescriptor getInitializationErrorString""",
    "Go": "Reset String ProtoMessage ProtoReflect Descriptor",
    "C#": "Descriptor Parser Types Clone Equals GetHashCode ToString MergeFrom CalculateSize WriteTo",
    "C++": "descriptor default_instance swap New CopyFrom MergeFrom Clear IsInitialized GetMetadata unknown_fields",
    "Swift": "UnknownFields ProtoMessageName DebugDescription HashValue IsInitialized",
}


def clashes(message: Descriptor) -> list[str]:
    names = [each for field in message.fields for each in accessors(field)]
    names += [("Java", f"get{pascal(oneof.name)}Case") for oneof in message.oneofs]
    names += [("C#", f"{pascal(oneof.name)}Case") for oneof in message.oneofs]
    own = [(language, name) for language, words in OWN.items() for name in words.split()]
    return [f"{language} {name}" for (language, name), count in Counter([*names, *own]).items() if count > 1]


def test_no_two_accessors_of_a_message_are_the_same() -> None:
    for message in messages():
        assert clashes(message) == [], message.full_name


def test_no_field_is_a_reserved_word() -> None:
    names = {field.name for message in messages() for field in message.fields}
    names |= {oneof.name for message in messages() for oneof in message.oneofs}
    assert {name: RESERVED[name] for name in sorted((names & RESERVED.keys()) - HARMLESS.keys())} == {}


def test_no_type_is_a_reserved_word() -> None:
    names = {each.name for each in (*messages(), *enums())}
    assert names & RESERVED.keys() == set()


def test_no_enum_value_without_its_prefix_is_a_number_or_unfinished() -> None:
    """C#, Swift and Rust leave the prefix out."""
    for enum in enums():
        prefix = "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in enum.name).lstrip("_") + "_"
        for value in enum.values:
            assert value.name.startswith(prefix), value.name
            assert value.name.removeprefix(prefix)[0].isalpha(), value.name


def test_methods_do_not_clash_with_those_of_generated_clients() -> None:
    """Tonic makes a constructor `connect` for every client, Dart and Java have `close` and `build`."""
    taken = {
        "connect",
        "new",
        "close",
        "build",
        "channel",
        "abort",
        "wait",
        "getchannel",
        "getcalloptions",
        "withcallcredentials",
    }
    methods = [method for each in files() for service in each.services_by_name.values() for method in service.methods]
    assert [method.full_name for method in methods if method.name.lower() in taken] == []


def test_the_class_of_a_file_is_no_type_in_it() -> None:
    for each in files():
        outer = each.GetOptions().java_outer_classname
        assert outer not in each.message_types_by_name
        assert outer not in each.enum_types_by_name


def test_names_of_files_differ_in_more_than_case() -> None:
    assert len({path.lower() for path in PATHS}) == len(PATHS)


def test_every_file_says_how_other_languages_call_it() -> None:
    """Adding such an option later breaks whoever has generated code before."""
    for path in PATHS:
        options, package = file(path).GetOptions(), file(path).package
        assert options.java_multiple_files, path
        assert options.java_package == f"com.{package}", path
        assert options.java_outer_classname.endswith("Proto"), path
        assert options.go_package.endswith(f"{package.replace('.', '/')};{package.replace('.', '')}"), path
        assert options.csharp_namespace.lower() == package, path
        assert options.ruby_package.replace("::", ".").lower() == package, path
        assert options.php_namespace.replace("\\", ".").lower() == package, path
        assert options.objc_class_prefix, path
