"""The closed arithmetic grammar of calculation questions.

``expression := term (('+' | '-') term)*``, ``term := factor (('*' | '/') factor)*``,
``factor := ('+' | '-') factor | power``, ``power := atom ('**' factor)?``,
``atom := number | name | function '(' expression (',' expression)* ')' | '(' expression ')'``
with the functions ``ceil floor log min max``. Parsed here and never handed to an interpreter.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<op>\*\*|[-+*/(),]))"
)
_FUNCTIONS: dict[str, tuple[int, int, Callable[..., float]]] = {
    "ceil": (1, 1, lambda x: float(math.ceil(x))),
    "floor": (1, 1, lambda x: float(math.floor(x))),
    "log": (1, 2, math.log),
    "min": (2, 64, min),
    "max": (2, 64, max),
}
_MAX_LENGTH = 1000
_MAX_DEPTH = 50


class ExpressionError(ValueError):
    """The text is no expression of the grammar, or it has no finite value."""


@dataclass(frozen=True)
class Expression:
    """A parsed expression.

    Attributes:
        text: As written.
        names: The names it refers to.
    """

    text: str
    names: frozenset[str]
    _value: Callable[[Mapping[str, float]], float]

    def evaluate(self, values: Mapping[str, float]) -> float:
        """The value under an assignment of all names.

        Raises:
            ExpressionError: A name is unassigned, or the value is not a finite real number.
        """
        for name in sorted(self.names):
            if name not in values:
                raise ExpressionError(f"{self.text!r} uses the unknown name {name!r}")
        try:
            result = self._value(values)
        except (ArithmeticError, ValueError) as error:
            raise ExpressionError(f"{self.text!r} cannot be computed: {error}") from error
        if isinstance(result, complex) or not math.isfinite(result):
            raise ExpressionError(f"{self.text!r} has no finite value")
        return result


def parse_expression(text: str) -> Expression:
    """Parses one expression.

    Raises:
        ExpressionError: Naming the place that does not fit the grammar.
    """
    if len(text) > _MAX_LENGTH:
        raise ExpressionError(f"the expression is longer than {_MAX_LENGTH} characters")
    parser = _Parser(text)
    value = parser.sum(0)
    parser.expect_end()
    return Expression(text, frozenset(parser.names), value)


_Node = Callable[[Mapping[str, float]], float]


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._at = 0
        self.names: set[str] = set()

    def sum(self, depth: int) -> _Node:
        left = self.product(depth + 1)
        while self._peek() in ("+", "-"):
            left = _binary(self._take(), left, self.product(depth + 1))
        return left

    def product(self, depth: int) -> _Node:
        left = self.factor(depth)
        while self._peek() in ("*", "/"):
            left = _binary(self._take(), left, self.factor(depth))
        return left

    def factor(self, depth: int) -> _Node:
        if depth > _MAX_DEPTH:
            raise ExpressionError(f"{self._text!r} is nested too deeply")
        if self._peek() == "-":
            self._take()
            operand = self.factor(depth + 1)
            return lambda v: -operand(v)
        if self._peek() == "+":
            self._take()
            return self.factor(depth + 1)
        base = self.atom(depth)
        if self._peek() == "**":
            self._take()
            return _binary("**", base, self.factor(depth + 1))
        return base

    def atom(self, depth: int) -> _Node:
        token = self._take()
        if token.startswith("("):
            inner = self.sum(depth + 1)
            self._expect(")")
            return inner
        if token[:1].isdigit() or token[:1] == ".":
            number = float(token)
            return lambda _: number
        if token.isidentifier():
            return self._call(token, depth) if self._peek() == "(" else self._name(token)
        raise ExpressionError(f"{self._text!r}: {token or 'the end'!r} cannot stand here")

    def expect_end(self) -> None:
        if self._at < len(self._tokens):
            raise ExpressionError(f"{self._text!r}: {self._peek()!r} is left over")

    def _name(self, name: str) -> _Node:
        self.names.add(name)
        return lambda v: v[name]

    def _call(self, name: str, depth: int) -> _Node:
        if name not in _FUNCTIONS:
            known = ", ".join(_FUNCTIONS)
            raise ExpressionError(f"{self._text!r}: no function {name!r}; there are {known}")
        self._expect("(")
        arguments = [self.sum(depth + 1)]
        while self._peek() == ",":
            self._take()
            arguments.append(self.sum(depth + 1))
        self._expect(")")
        least, most, function = _FUNCTIONS[name]
        if not least <= len(arguments) <= most:
            raise ExpressionError(f"{self._text!r}: {name} takes {least} to {most} arguments")
        return lambda v: function(*(a(v) for a in arguments))

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _expect(self, token: str) -> None:
        if self._take() != token:
            raise ExpressionError(f"{self._text!r}: {token!r} is missing")


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    stripped = text.rstrip()
    while at < len(stripped):
        match = _TOKEN.match(stripped, at)
        if match is None:
            raise ExpressionError(f"{text!r}: {stripped[at:].strip()[:10]!r} is not understood")
        tokens.append(match.group(match.lastgroup or 0))
        at = match.end()
    return tokens


def _binary(op: str, left: _Node, right: _Node) -> _Node:
    match op:
        case "+":
            return lambda v: left(v) + right(v)
        case "-":
            return lambda v: left(v) - right(v)
        case "*":
            return lambda v: left(v) * right(v)
        case "/":
            return lambda v: left(v) / right(v)
    return lambda v: left(v) ** right(v)
