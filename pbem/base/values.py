"""``dataclass`` as the standard library's, made in a tenth of the time.

The standard one compiles six small functions for every class as soon as it is defined, used or not: a tenth of what a
command takes. Here ``__init__`` is compiled once a class has some instances, and the others need no compiling.

Everything else is the standard library's: ``fields``, ``replace``, ``asdict`` and matching work as ever. Not taken are
keywords that nobody here uses, and ``InitVar``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["dataclass", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:
    from dataclasses import MISSING, FrozenInstanceError, fields, replace
    from dataclasses import dataclass as _standard
    from functools import partial
    from operator import attrgetter, eq, ge, gt, le, lt
    from reprlib import recursive_repr
    from types import MemberDescriptorType, MethodType

    def dataclass(cls=None, /, *, frozen=False, slots=False, order=False):
        """As ``dataclasses.dataclass``, as a decorator with or without keywords."""
        if cls is None:
            return lambda cls: _built(cls, frozen, slots, order)
        return _built(cls, frozen, slots, order)

    def _built(cls, frozen, slots, order):
        own = set(vars(cls))  # what a class says itself stays
        if vars(cls).get("__hash__", ...) is None and "__eq__" in own:
            own.remove("__hash__")  # Python's, not the class's
        if cls.__doc__ is None:
            cls.__doc__ = f"{cls.__name__}."  # else the standard library writes the signature there
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
            values = _values(hashed)
            members["__hash__"] = lambda self: hash(values(self))
            members |= _frozen(cls, {field.name for field in known})
            if slots:
                members |= _carried([field.name for field in known])
        for name, member in members.items():
            if name not in own:
                setattr(cls, name, member)
        return cls

    _FEW = 8
    """So many instances cost less without compiling: most classes have no more in a command."""

    class _Init:
        """``__init__`` of a class: it fills the first few instances itself, then, or when looked up, it is compiled."""

        def __init__(self, cls, frozen):
            self._cls, self._frozen, self._left = cls, frozen, _FEW

        def __get__(self, instance, owner=None):
            if instance is not None and self._left:
                self._left -= 1
                return partial(self._fill, instance)
            init = _init(self._cls, self._frozen)
            self._cls.__init__ = init
            return init if instance is None else MethodType(init, instance)

        def _fill(self, instance, /, *given, **named):
            known = fields(self._cls)
            names = [field.name for field in known if field.init]
            values = dict(zip(names, given, strict=False), **named)
            fits = len(values) == len(given) + len(named) and values.keys() <= set(names)
            for field in known if fits else ():
                if field.name not in values and field.default_factory is not MISSING:
                    values[field.name] = field.default_factory()
                elif field.name not in values and field.default is not MISSING:
                    values[field.name] = field.default
                else:
                    fits &= field.name in values or not field.init
            if not fits:  # what is compiled says what is missing or too much
                _init(self._cls, self._frozen)(instance, *given, **named)
            put = object.__setattr__ if self._frozen else setattr
            for name, value in values.items():
                put(instance, name, value)
            if hasattr(instance, "__post_init__"):
                instance.__post_init__()

    def _init(cls, frozen):
        """A frozen class is filled by its slots themselves, not by ``object.__setattr__``: half the cost of a value."""
        space = {"_set": object.__setattr__, "_MADE": _MADE}
        given, lines = [], []
        for field in fields(cls):
            name, value, default = field.name, field.name, ""
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
            elif isinstance(slot := getattr(cls, name, None), MemberDescriptorType):
                space[f"_set_{name}"] = slot.__set__
                lines.append(f" _set_{name}(self, {value})")
            else:
                lines.append(f" _set(self, {name!r}, {value})")
        if hasattr(cls, "__post_init__"):
            lines.append(" self.__post_init__()")
        exec(f"def __init__({', '.join(['self', *given])}):\n" + "\n".join(lines or [" pass"]), space)  # noqa: S102
        init = space["__init__"]
        init.__qualname__ = f"{cls.__qualname__}.__init__"
        init.__module__ = cls.__module__
        init.__annotations__ = {field.name: field.type for field in fields(cls) if field.init} | {
            "return": None
        }
        return init

    class _Made:
        """Stands in a signature for a value that is made anew for every instance."""

        def __repr__(self):
            return "<factory>"

    _MADE = _Made()

    def _values(names):
        """What gives the values of these fields as one tuple."""
        if len(names) > 1:
            return attrgetter(*names)
        return lambda self: tuple([getattr(self, name) for name in names])

    def _repr(names):
        @recursive_repr()
        def shown(self):
            values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
            return f"{type(self).__qualname__}({values})"

        return shown

    def _compared(names, order):
        values = _values(names)

        def comparing(compare):
            def compared(self, other):
                if other.__class__ is not self.__class__:
                    return NotImplemented
                return compare(values(self), values(other))

            return compared

        compares = (lt, le, gt, ge) if order else ()
        return {f"__{operator.__name__}__": comparing(operator) for operator in (eq, *compares)}

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

    def _carried(names):
        """How a frozen value with slots is copied and pickled."""

        def given(self):
            return [getattr(self, name) for name in names]

        def taken(self, state):
            for name, value in zip(names, state, strict=True):
                object.__setattr__(self, name, value)

        return {"__getstate__": given, "__setstate__": taken}
