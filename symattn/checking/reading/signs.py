"""Signs of formulas: what commands of LaTeX, characters of Unicode and names of functions stand for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final


def _pairs(text: str) -> Mapping[str, str]:
    return MappingProxyType(dict(pair.split("|", 1) for pair in text.split()))


OPERATORS: Final = _pairs(
    r"""+|+ -|- −|- ﹣|- –|- *|* ∗|* ⋆|* ×|\times ✕|\times ✖|\times ⨯|\times ·|\cdot ⋅|\cdot
    ∙|\cdot •|\cdot ・|\cdot ⊙|⊙ ∘|⊙ ⊗|⊗ ⊕|+ /|/ ÷|/ ∕|/ ⁄|/ @|@ ±|± ∓|± \cdot|\cdot
    \cdotp|\cdot \times|\times \div|/ \oslash|/ \odot|⊙ \circ|⊙ \ast|* \star|* \bullet|\cdot \otimes|⊗
    \oplus|+ \pm|± \mp|± \slash|/ %|% \bmod|% \mod|%"""
)
"""A sign between two expressions, as the tree has it."""

RELATIONS: Final = _pairs(
    r"""=|= ==|= ===|= :=|= ≔|= ≡|≠ ≜|= ≝|= ≐|= ≈|≈ ≃|≈ ≅|≈ ≒|≈ ≓|≈ ~|≈ ～|≈ ∼|≈ ~=|≈ =~|≈ ≈=|≈
    →|→ ⇒|→ ⟶|→ ⟹|→ ↦|→ ➜|→ ➔|→ ->|→ =>|→ -->|→ ==>|→ ←|← ⟵|← <-|← <|< >|> ≤|< ≥|> <=|< >=|>
    ⩽|< ⩾|> ≪|< ≫|> ≠|≠ !=|≠ ∈|∈ \approx|≈ \thickapprox|≈ \simeq|≈ \cong|≈ \sim|≈
    \approxeq|≈ \fallingdotseq|≈ \doteq|≈ \to|→ \rightarrow|→ \Rightarrow|→
    \longrightarrow|→ \Longrightarrow|→ \implies|→ \mapsto|→ \leadsto|→ \leftarrow|← \gets|←
    \Leftarrow|← \longleftarrow|← \lt|< \gt|> \le|< \leq|< \leqslant|< \ge|> \geq|>
    \geqslant|> \ll|< \gg|> \ne|≠ \neq|≠ \in|∈ \equiv|≠ \coloneqq|= \triangleq|= \eq|=
    \coloneq|="""
)
"""A sign between two sides of a chain."""

LETTERS: Final = _pairs(
    r"""\alpha|α \beta|β \gamma|γ \delta|δ \epsilon|ε \varepsilon|ε \zeta|ζ \eta|η \theta|θ
    \vartheta|θ \iota|ι \kappa|κ \lambda|λ \mu|μ \nu|ν \xi|ξ \pi|π \rho|ρ \sigma|σ \tau|τ
    \upsilon|υ \phi|φ \varphi|φ \chi|χ \psi|ψ \omega|ω \Gamma|Γ \Delta|Δ \Theta|Θ \Lambda|Λ
    \Xi|Ξ \Pi|Π \Sigma|Σ \Phi|Φ \Psi|Ψ \Omega|Ω \ell|ℓ \partial|∂ \nabla|∇ \hbar|ħ \imath|i
    \jmath|j ∂|∂ ∇|∇ ϵ|ε ϕ|φ µ|μ \emptyset|∅ \bigtriangleup|Δ \triangle|Δ"""
)
"""Letters, as commands."""

MARKS: Final = _pairs(
    r"""\hat|hat \widehat|hat \tilde|tilde \widetilde|tilde \bar|bar \overline|bar \vec|vec
    \overrightarrow|vec \dot|dot \ddot|ddot \underline|underline \check|check"""
)
"""What stands over a name."""

COMBINING: Final = MappingProxyType(
    {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u20d7": "vec", "\u0307": "dot"}
)

TRANSPARENT: Final = frozenset(
    r"""\mathbf \boldsymbol \bm \mathcal \mathbb \mathscr \mathfrak \pmb \displaystyle \textstyle
    \scriptstyle \left \right \middle \big \Big \bigg \Bigg \bigl \bigr \Bigl \Bigr \biggl \biggr
    \Biggl \Biggr \limits \nolimits \rm \bf \it \cal \bfseries \normalsize \small \footnotesize
    \scriptsize \tiny \large \Large \boxed \fbox \bbox \ensuremath \cancel \mathstrut \strut
    \nonumber \notag \hline \hdashline \toprule \midrule \bottomrule \mathop \mathrel \mathbin
    \mathord \smash \overbrace \underbrace \mathds \Bbb \symbf \vcenter \centering \underset_ \!
    \noindent \par""".split()
)
"""Commands that change how something looks: they are left out, what they hold stays."""

BLANKS: Final = frozenset(
    [r"\,", r"\;", r"\:", r"\>", r"\ ", r"\thinspace", r"\enspace", r"\space", r"\nobreakspace", r"\/"]
)
BREAKS: Final = frozenset(
    [r"\quad", r"\qquad", r"\newline", r"\cr", r"\therefore", r"\because", r"\checkmark", "∴", "∵"]
)

DROPPED: Final = MappingProxyType(
    {
        **dict.fromkeys(
            r"""\phantom \hphantom \vphantom \label \tag \color \hspace \vspace \hskip \ref \eqref \cite \mspace
            \require \arraystretch \cline \tag* \hspace* \vspace* \kern \mkern \definecolor \bgcolor""".split(),
            1,
        ),
        **dict.fromkeys(r"\textcolor \colorbox \href \class \style \htmlClass \cssId \raisebox \rule".split(), 1),
    }
)
"""Commands whose first argument says how something looks, or nothing that is seen."""

TEXTS: Final = frozenset(
    r"""\text \mathrm \operatorname \operatorname* \textbf \textit \textrm \texttt \mathit \mathsf
    \mathtt \mbox \textsf \hbox \textnormal \emph \textsc""".split()
)

DOTS: Final = frozenset(
    [r"\cdots", r"\ldots", r"\dots", r"\vdots", r"\ddots", "…", "⋯", "⋮", "⋱", "...", r"\dotsb", r"\dotsc"]
)

FUNCTION_COMMANDS: Final = frozenset(
    r"""\exp \log \ln \max \min \tanh \sin \cos \tan \sigma_ \det \arg \softmax \argmax \diag \lg \sinh
    \cosh \ReLU \relu \GELU \Var \Softmax \concat \Attention \Concat \norm_ \abs_ \erf \mean
    \LayerNorm \MultiHead \std \var""".split()
)

FUNCTIONS: Final = MappingProxyType(
    {
        **{
            name: name
            for name in """softmax exp sqrt relu gelu layer_norm mean var sum norm abs max min erf tanh log concat
    transpose sin cos tan argmax silu sigmoid rms_norm std diag log_softmax masked_fill tril triu lg cbrt floor
    ceil prod range""".split()
        },
        **_pairs(
            """Softmax|softmax SoftMax|softmax SOFTMAX|softmax softmax_row|softmax softmax_rows|softmax
    soft_max|softmax ReLU|relu RELU|relu Relu|relu GELU|gelu Gelu|gelu GeLU|gelu LayerNorm|layer_norm
    layernorm|layer_norm LN|layer_norm Layernorm|layer_norm layerNorm|layer_norm
    Layer_Norm|layer_norm Mean|mean avg|mean average|mean Var|var variance|var Std|std
    Max|max Min|min Concat|concat concatenate|concat cat|concat CONCAT|concat Exp|exp ln|log
    Log|log Sqrt|sqrt Erf|erf Tanh|tanh Sum|sum sigmoid|sigmoid Sigmoid|sigmoid SiLU|silu
    RMSNorm|rms_norm rmsnorm|rms_norm amax|max square_root|sqrt fabs|abs Norm|norm
    Transpose|transpose rsqrt|rsqrt logsoftmax|log_softmax hstack|concat expit|sigmoid logistic|sigmoid product|prod"""
        ),
    }
)
"""Names of functions as people write them, and what the tree calls them."""

WORDS_IN_MATH: Final = frozenset(
    """FFN MLP RMS PE LN ReLU GELU SiLU var std sum max min out new old raw row col mask seq cat Attn
    attn head Head heads dim shape softmax Softmax exp log sqrt mean norm abs tanh erf relu gelu ln
    sin cos tan inf nan MSE SDPA Norm Mean Var Std pos len tok size context Score Scores
    net lr grad loss err error Norm Mean Var Std target bias logit logits prob input output hidden""".split()
)
"""Runs of letters that are one name in a formula without ``\\text``."""

ROW_ENDS: Final = frozenset(["\\\\", r"\tabularnewline"])

MATRICES: Final = frozenset(
    """matrix bmatrix pmatrix vmatrix Vmatrix Bmatrix smallmatrix array cases bsmallmatrix psmallmatrix
    dcases rcases matrix* bmatrix* pmatrix* tabular""".split()
)
"""Environments of rows and cells; others only set lines under each other."""

SUPERSCRIPTS: Final = MappingProxyType(
    dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱᵀᵗᴷᵠᴼᵛ𐞥", "0123456789+-()niTtKqOvq", strict=True))
    | {"ᴺ": "N", "ʰ": "h", "ᵏ": "k", "ʲ": "j", "ᵈ": "d", "ˡ": "l", "ᴴ": "H", "ᵐ": "m", "ˣ": "x"}
)
SUBSCRIPTS: Final = MappingProxyType(
    dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₐₑₕᵢⱼₖₗₘₙₒₚₛₜᵤᵥₓᵣ", "0123456789+-()aehijklmnopstuvxr", strict=True))
)

MODULES: Final = frozenset(
    "np numpy torch F nn math jnp jax tf scipy linalg functional special tensor cp mx keras cmath sp".split()
)
"""Modules of programs, before a dot."""

TENSORS: Final = frozenset(
    """array tensor Tensor FloatTensor asarray matrix constant Matrix LongTensor as_tensor float32
    Parameter""".split()
)
"""Functions of programs whose argument is a matrix that is written out."""
