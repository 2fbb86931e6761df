"""The main language of a text, from its script and its function words; no model.

Technical answers in any language carry English terms, so the profile looks at function words
alone.
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence

from grader.judges.guard.words import Word
from grader.judges.normalise import normalise

ENGLISH = "en"

_PROFILES = {
    "en": """the of and to in is that it for as with be on this are by not which because so you we
    they from an at or if when then but can will each every than into one only does its has have
    was were would should how what there these while where more all no a i my between after""",
    "de": """der die das und ist nicht ein eine einen einem den dem des mit für auf von zu im werden
    wird sich auch als bei dass weil aber oder wenn nur nach aus wie pro durch sind kann man wir
    ich es jede jeder jedes kein keine zum zur über damit daher sonst""",
    "fr": """le la les des du et est une un pas pour que qui dans sur avec par ne se ce cette sont
    il elle on nous vous plus mais ou donc car chaque au aux en comme être fait sans leur ses
    je c'est n'est qu'un d'un d'une l'on""",
    "es": """el la los las de del y es una un no para que en por con se su sus lo como más pero al
    cada son está porque cuando si sin entre ya muy también este esta eso hay""",
    "pt": """o os as um uma de do da dos das e é não para que em por com se seu sua como mais mas
    ao cada são está porque quando sem entre já também este esta no na nos nas pelo pela""",
    "it": """il lo la gli le di del della dei delle e è un una non per che in con si su come più ma
    al alla ogni sono perché quando senza tra già anche questo questa viene nel nella dal""",
    "nl": """de het een en is niet van voor dat die in op met te zijn wordt worden door als maar bij
    ook om aan per elke omdat wanneer zodat dit deze naar uit nog dus kan er""",
    "pl": """i w na się nie jest że do z to jak po dla przez są od ale oraz który która które każdy
    ponieważ gdy tylko już może być tym ten ta""",
    "sv": """och att det som en ett är inte på för med av den till i om har kan varje men eller
    när från också så eftersom""",
    "tr": """ve bir bu için ile da de olarak çok daha her gibi ama değil olan kadar sonra ne çünkü
    ise veya""",
    "id": """yang dan di ke dari untuk dengan pada ini itu adalah tidak karena setiap akan dapat
    oleh juga atau dalam sebagai""",
    "vi": """và của là cho không có được một các những trong với này khi để từ vì nên theo mỗi cũng
    đã sẽ""",
    "cs": """a se na je že v to s z do o i ale jako pro by není jsou který která které když protože
    každý nebo také""",
    "ro": """și în de la cu pe nu este un o că din pentru care mai se sau dar sunt fiecare prin
    pentru""",
}
_FOLDED = {
    code: frozenset(w for w in normalise(words).text.split() if len(w) > 1 or code == ENGLISH)
    for code, words in _PROFILES.items()
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _code, _words in _FOLDED.items():
    for _word in _words:
        _LANGUAGES_OF.setdefault(_word, []).append(_code)
_SCRIPTS = {
    "CYRILLIC": "ru",
    "ARABIC": "ar",
    "HEBREW": "he",
    "DEVANAGARI": "hi",
    "BENGALI": "bn",
    "TAMIL": "ta",
    "TELUGU": "te",
    "GUJARATI": "gu",
    "GURMUKHI": "pa",
    "THAI": "th",
    "GREEK": "el",
    "HANGUL": "ko",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "CJK": "zh",
    "ARMENIAN": "hy",
    "GEORGIAN": "ka",
    "ETHIOPIC": "am",
}
_MARKS_OF = (("uk", "ru", "іїєґ"), ("fa", "ar", "پچژگ"))
_FEWEST_WORDS = 6
_FEWEST_DISTINCT = 3
_LEAST_SHARE = 0.15
_LEAD = 2.0
_SAMPLE = 6000


def main_language(text: str, words: Sequence[Word]) -> str:
    """ISO 639-1 code of the main language; empty where it cannot be told.

    Args:
        text: The answer as stored.
        words: Its words in normal form.
    """
    scripts = _script_counts(text[:_SAMPLE])
    total = sum(scripts.values())
    latin = scripts.pop("LATIN", 0)
    if total and latin < total / 2 and scripts:
        return _by_script(text[:_SAMPLE], scripts)
    return _by_function_words([w.text for w in words[: _SAMPLE // 6]])


def _script_counts(text: str) -> Counter[str]:
    if text.isascii():
        return Counter({"LATIN": sum(map(str.isalpha, text))})
    letters = Counter(c for c in text if c.isalpha())
    counts: Counter[str] = Counter()
    for letter, n in letters.items():
        counts[unicodedata.name(letter, "UNKNOWN").split()[0].split("-")[0]] += n
    return counts


def _by_script(text: str, scripts: Counter[str]) -> str:
    known = Counter({script: n for script, n in scripts.items() if script in _SCRIPTS})
    if not known:
        return ""
    if known["HIRAGANA"] + known["KATAKANA"] > 0.1 * known.total():
        return "ja"
    code = _SCRIPTS[known.most_common(1)[0][0]]
    for other, base, marks in _MARKS_OF:
        if code == base and any(c in marks for c in text):
            return other
    return code


def _by_function_words(words: Sequence[str]) -> str:
    if len(words) < _FEWEST_WORDS:
        return ""
    scores = dict.fromkeys(_FOLDED, 0)
    for word in words:
        for code in _LANGUAGES_OF.get(word, ()):
            scores[code] += 1
    english = scores.pop(ENGLISH)
    best = max(scores, key=lambda code: (scores[code], code))
    distinct = len(_FOLDED[best].intersection(words))
    share = scores[best] / len(words)
    if distinct >= _FEWEST_DISTINCT and share >= _LEAST_SHARE and scores[best] >= _LEAD * english:
        return best
    return ENGLISH if english >= _LEAST_SHARE / 2 * len(words) else ""
