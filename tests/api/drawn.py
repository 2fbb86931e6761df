"""Requests drawn from the document: no fault, and no reply off its schema."""

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

# A body of the right shape may still name a question or a person that is not there: 422. A drawn
# key never arrives, for the key of the tenant is put over it; keys have tests of their own.
LEFT_OUT = [positive_data_acceptance, ignored_auth]


def document(app, key):
    """The document of an application as a source of requests with that key."""
    found = schemathesis.openapi.from_asgi(
        "/v1/openapi.json", app, config=SchemathesisConfig(), headers={"Host": "localhost"}
    )
    found.config.update(base_url="http://localhost", headers={"Authorization": f"Bearer {key}"})
    return found


def sized(examples, steps=1):
    """Settings for so many cases an operation."""
    return settings(
        max_examples=examples,
        stateful_step_count=max(steps, 2),
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
        derandomize=examples < 20,
    )


def draw(source, examples):
    """Sends drawn requests to every operation; returns how many."""
    count = 0
    for result in source.get_all_operations():
        operation = result.ok()

        @sized(examples)
        @given(case=operation.as_strategy())
        def drawn(case):
            nonlocal count
            count += 1
            case.call_and_validate(excluded_checks=LEFT_OUT)

        drawn()
    return count


def walk(source, examples, steps, new_key):
    """Sends sequences of requests, each made from replies before it.

    Every sequence has a tenant of its own (``new_key`` gives its key), so that one that fails
    can be sent again and meet the same.
    """
    machine = source.as_state_machine()
    count = 0

    class Walk(machine):
        """A walk that leaves out the same checks."""

        def setup(self):
            self.headers = {"Authorization": f"Bearer {new_key()}"}

        def get_call_kwargs(self, case):
            return {"headers": self.headers}

        def validate_response(self, response, case, additional_checks=(), **kwargs):
            nonlocal count
            count += 1
            case.validate_response(response, excluded_checks=LEFT_OUT)

    Walk.run(settings=sized(examples, steps))
    return count
