"""``dataclass`` as the standard library's, made in a thirtieth of the time.

The standard one compiles six small functions for every class as soon as it is defined, used or not: a quarter of what a
command took. Here ``__init__`` is compiled when it is first looked up, and the others need no compiling. A frozen class
with slots is also filled by its slots themselves, not by ``object.__setattr__``, which is half the cost of a new value.

Everything else is the standard library's: ``fields``, ``replace``, ``asdict`` and matching work as ever. Not taken are
keywords that nobody here uses, and ``InitVar``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["dataclass", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:
    from dataclasses import MISSING, FrozenInstanceError, fields
    from dataclasses import dataclass as _standard
    from dataclasses import replace as _standard_replace
    from functools import cache
    from operator import attrgetter, ge, gt, le, lt
    from reprlib import recursive_repr
    from types import MemberDescriptorType, MethodType

    def dataclass(cls=None, /, *, frozen=False, slots=False, order=False):
        """As ``dataclasses.dataclass``, as a decorator with or without keywords."""
        if cls is None:
            return lambda found: _made(found, frozen, slots, order)
        return _made(cls, frozen, slots, order)

    def replace(value, /, **changes):
        """As ``dataclasses.replace``, which looks at every field anew each time; here a class is looked at once."""
        cls = type(value)
        if cls in _COPIED:
            copy, setters = _copying(cls)
            if changes.keys() <= setters.keys():
                made = copy(value)
                for name, changed in changes.items():
                    setters[name](made, changed)
                return made
        found = _taken_apart(cls)
        if found is None:
            return _standard_replace(value, **changes)
        names, values = found
        return cls(**dict(zip(names, values(value), strict=True)) | changes)

    _COPIED = set()
    """Frozen classes with slots whose ``__init__`` is ours and does nothing but fill them all."""

    @cache
    def _copying(cls):
        """What copies a value of such a class, and what sets each slot of the copy."""
        setters = {field.name: getattr(cls, field.name).__set__ for field in fields(cls)}
        lines = "".join(f" _set_{name}(made, value.{name})\n" for name in setters)
        space = {"_new": object.__new__, "_cls": cls} | {f"_set_{name}": one for name, one in setters.items()}
        exec(f"def copy(value):\n made = _new(_cls)\n{lines} return made", space)  # noqa: S102
        return space["copy"], setters

    @cache
    def _taken_apart(cls):
        """The names of the fields and what gives their values; None if ``__init__`` does not take them all."""
        known = fields(cls)
        names = tuple(field.name for field in known)
        return (names, _values(names)) if all(field.init for field in known) else None

    def _made(cls, frozen, slots, order):
        own = set(vars(cls))  # what a class says itself stays
        if vars(cls).get("__hash__", ...) is None and "__eq__" in own:
            own.remove("__hash__")  # Python's, not the class's
        if cls.__doc__ is None:
            cls.__doc__ = (
                f"{cls.__name__}."  # else the standard library writes the signature there, at some cost
            )
        cls = _standard(init=False, repr=False, eq=False, slots=slots)(cls)
        known = fields(cls)
        members = {
            "__init__": _Init(cls, frozen),
            "__repr__": _repr([field.name for field in known if field.repr]),
            **_compared([field.name for field in known if field.compare], order),
            "__hash__": None,
        }
        if frozen:
            hashed = [field.name for field in known if (field.compare if field.hash is None else field.hash)]
            members["__hash__"] = _hash(hashed)
            members |= _frozen(cls, {field.name for field in known})
            if slots:
                members |= _carried(tuple(field.name for field in known))
        for name, member in members.items():
            if name not in own:
                setattr(cls, name, member)
        fills = "__init__" not in own and not hasattr(cls, "__post_init__")
        if fills and frozen and slots and all(field.init and _slot(cls, field.name) for field in known):
            _COPIED.add(cls)
        return cls

    class _Init:
        """``__init__`` of a class, compiled when it is first looked up."""

        def __init__(self, cls, frozen):
            self._cls = cls
            self._frozen = frozen

        def __get__(self, instance, owner=None):
            made = _init(self._cls, self._frozen)
            self._cls.__init__ = made
            return made if instance is None else MethodType(made, instance)

    def _init(cls, frozen):
        known = fields(cls)
        space = {"_set": object.__setattr__, "_MADE": _MADE}
        given, lines = [], []
        for field in known:
            name, value = field.name, field.name
            default = ""
            if field.default_factory is not MISSING:
                space[f"_make_{name}"] = field.default_factory
                default = "=_MADE"
                value = f"_make_{name}() if {name} is _MADE else {name}" if field.init else f"_make_{name}()"
            elif field.default is not MISSING:
                space[f"_default_{name}"] = field.default
                default = f"=_default_{name}"
                value = name if field.init else f"_default_{name}"
            elif not field.init:
                continue
            if field.init:
                given.append(name + default)
            if not frozen:
                lines.append(f" self.{name} = {value}")
            elif _slot(cls, name):
                space[f"_set_{name}"] = getattr(cls, name).__set__
                lines.append(f" _set_{name}(self, {value})")
            else:
                lines.append(f" _set(self, {name!r}, {value})")
        if hasattr(cls, "__post_init__"):
            lines.append(" self.__post_init__()")
        exec(f"def __init__({', '.join(['self', *given])}):\n" + "\n".join(lines or [" pass"]), space)  # noqa: S102
        made = space["__init__"]
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        made.__module__ = cls.__module__
        made.__annotations__ = {field.name: field.type for field in known if field.init} | {"return": None}
        return made

    def _slot(cls, name):
        """Whether this field is a slot."""
        return isinstance(getattr(cls, name, None), MemberDescriptorType)

    class _Made:
        """Stands in a signature for a value that is made anew for every instance."""

        def __repr__(self):
            return "<factory>"

    _MADE = _Made()

    def _values(names):
        """What gives the values of these fields as one tuple."""
        if len(names) > 1:
            return attrgetter(*names)
        if names:
            one = attrgetter(names[0])
            return lambda value: (one(value),)
        return lambda _: ()

    def _repr(names):
        @recursive_repr()
        def told(self):
            values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
            return f"{type(self).__qualname__}({values})"

        return told

    def _hash(names):
        values = _values(names)

        def hashed(self):
            return hash(values(self))

        return hashed

    def _compared(names, order):
        values = _values(names)

        def equal(self, other):
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        def comparing(compare):
            def compared(self, other):
                if other.__class__ is not self.__class__:
                    return NotImplemented
                return compare(values(self), values(other))

            return compared

        compares = (lt, le, gt, ge) if order else ()
        return {"__eq__": equal} | {f"__{one.__name__}__": comparing(one) for one in compares}

    def _frozen(cls, names):
        def keep(self, name, value):
            if type(self) is cls or name in names:
                raise FrozenInstanceError(f"cannot assign to field {name!r}")
            super(cls, self).__setattr__(name, value)

        def hold(self, name):
            if type(self) is cls or name in names:
                raise FrozenInstanceError(f"cannot delete field {name!r}")
            super(cls, self).__delattr__(name)

        return {"__setattr__": keep, "__delattr__": hold}

    @cache
    def _filling(cls, names):
        """What fills an empty value of such a class with what ``__getstate__`` gave; compiled when first asked for."""
        space = {"_set": object.__setattr__}
        lines = "".join(
            f" _set_{name}(made, {name})\n" if _slot(cls, name) else f" _set(made, {name!r}, {name})\n"
            for name in names
        )
        space |= {f"_set_{name}": getattr(cls, name).__set__ for name in names if _slot(cls, name)}
        exec(f"def fill(made, state):\n [{', '.join(names)}] = state\n{lines} return", space)  # noqa: S102
        return space["fill"]

    def _carried(names):
        """How a frozen value with slots is copied and pickled."""
        values = _values(names)

        def given(self):
            return values(self)

        def taken(self, state):
            _filling(type(self), names)(self, state)

        return {"__getstate__": given, "__setstate__": taken}
