"""Display scenarios, plans, documents and exercises in notebooks; these objects do not know about pages themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from symattn.api.publish.display import ShownPage, plan_page, step_math
from symattn.course.model import Exercise
from symattn.course.sheet.question import question
from symattn.read.plan import Plan, Step
from symattn.read.scenario.model import Scenario
from symattn.show.blocks import Document
from symattn.show.build import scenario_names
from symattn.show.entries.letters import page_names
from symattn.show.notation.formulas import Names
from symattn.write.formats import render
from symattn.write.tex_math import DollarTex, tex


def scenario_page(scenario: Scenario) -> ShownPage:
    """Return the title of a scenario and its steps."""
    return plan_page(scenario.derivation, scenario_names(scenario), (scenario.title_in(),), scenario.language)


def step_line(step: Step) -> str:
    """Return a step with its shape."""
    return f"$\\displaystyle {tex(step_math(step, Names()), DollarTex())}$"


def document_page(document: Document) -> ShownPage:
    """Return a document as Markdown."""
    return ShownPage(render(document, "markdown"))


def exercise_page(exercise: Exercise) -> ShownPage:
    """Return the question sheet of an exercise."""
    return document_page(question(exercise))


def plan_alone(plan: Plan) -> ShownPage:
    """Return the steps of a plan that belongs to no scenario."""
    return plan_page(plan, page_names(plan))


SHOWN: Mapping[type, Callable[[Any], str]] = MappingProxyType(
    {
        Scenario: scenario_page,
        Plan: plan_alone,
        Step: step_line,
        Document: document_page,
        Exercise: exercise_page,
    }
)
"""How a notebook with the extension shows these types, as Markdown."""
