"""The options of derive that take attention from the weights of a model instead of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from symattn.cli.options import Command, path_option

if TYPE_CHECKING:
    from symattn.scenario.model import Scenario

_OPTIONS = (
    path_option("--model", help="Weights: .safetensors or .npz."),
    click.option("--layer", default="", metavar="PREFIX", help="What stands before the names of its tensors."),
    click.option("--tokens", metavar="TEXT", help='Labels of the rows of the input: "the cat sat".'),
    path_option("--input", "rows", help="The rows that come into the layer: .npy, .csv, .npz or .safetensors."),
    click.option("--input-tensor", metavar="NAME", help="Which tensor of the file of the input, if it holds several."),
    click.option("--head", type=click.IntRange(1), help="One head only, counted from 1. Default: the whole layer."),
    path_option("--memory", help="The rows that cross-attention goes to, such as the encoder's output."),
    click.option("--memory-tensor", metavar="NAME", help="Which tensor of the file of the memory."),
    click.option(
        "--decimals",
        type=click.IntRange(0, 50),
        help="Take each number as the decimal that it prints. Default: as the binary fraction it is.",
    ),
    path_option(
        "--config",
        help="How the layer works. Default: the config.json beside the weights. What it does not say is asked for:",
    ),
    click.option("--family", metavar="NAME", help="What model it is of, such as bert or gpt2."),
    click.option("--heads", type=click.IntRange(1), help="How many heads."),
    click.option("--causal/--no-causal", default=None, help="Whether what comes later is masked."),
    click.option("--scaled/--no-scaled", default=None, help="Whether scores are divided by the root of d_k."),
    click.option(
        "--layer-scaled/--no-layer-scaled", default=None, help="Whether scores are divided by the layer's number too."
    ),
    click.option("--norm", type=click.Choice(["pre", "post"]), help="Where layer norm stands."),
    click.option("--activation", metavar="NAME", help="Of the feed-forward network: relu, gelu, gelu_tanh, silu, …"),
    click.option("--epsilon", metavar="NUMBER", help="Of layer norm, such as 1e-5."),
    click.option(
        "--ignore",
        multiple=True,
        metavar="NAME",
        help="A tensor, or a key of the configuration, that you know to change nothing. May be repeated.",
    ),
)

NAMES = (
    "model layer tokens rows input_tensor head memory memory_tensor decimals config family heads causal scaled "
    "layer_scaled norm activation epsilon ignore"
).split()
"""What the options are called in Python."""

_TAKEN_APART = ("model", "layer", "rows", "input_tensor", "memory", "memory_tensor")


def model_options(command: Command) -> Command:
    """A command with these options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def model_scenario(told: dict[str, Any], has_scenario: bool) -> Scenario | None:
    """The scenario of the layer, or ``None`` where no model is given."""
    if told["model"] is None:
        lonely = next((name for name in NAMES if told[name] not in (None, "", ())), None)
        if lonely is not None:
            raise click.UsageError(
                f"--{'input' if lonely == 'rows' else lonely.replace('_', '-')} belongs to --model FILE"
            )
        return None
    if has_scenario:
        raise click.UsageError("give a scenario or --model FILE, not both")
    if told["rows"] is None:
        raise click.UsageError("--model needs --input FILE: the rows that come into the layer")
    from symattn.arrays import matrix
    from symattn.models import attention_of

    if told["memory"] is None and told["memory_tensor"] is not None:
        raise click.UsageError("--memory-tensor belongs to --memory FILE")
    passed = {name: told[name] for name in NAMES if name not in _TAKEN_APART}
    rows = matrix(told["rows"], told["decimals"], tensor=told["input_tensor"])
    if told["memory"] is not None:
        passed["memory"] = matrix(told["memory"], told["decimals"], tensor=told["memory_tensor"])
    return attention_of(told["model"], told["layer"], input=rows, **passed)
