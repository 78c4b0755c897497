"""Texts as short as queries, made from a passage of documentation: headings, questions, phrases, error
messages, options, names. The teacher reads a short text fifteen times as fast as a passage, and a query is one.

`short_texts(row, rng)` gives (form, text) pairs, each text once, none shorter than three characters:

    heading     as a searcher would type it, with as much of the page's title as that needs
    question    a heading or a stated purpose put as a question ("how do I limit the number of workers")
    sentence    a whole sentence, where it is short: people paste them
    clause      the first clause of a sentence
    keywords    two to eight words in a row, function words left out
    error       what is said about a failure
    option      `--flag` with the beginning of its description, or the flag alone
    name        an identifier with dots, underscores, colons or capitals, perhaps beside a heading
"""
import re

GENERIC = re.compile(r"^(name|synopsis|description|notes?|see also|bugs|return value|examples?|options|parameters|"
                     r"functions|properties|author|history|copyright|colophon|required methods|implementations|"
                     r"provided methods|attributes|conforming to|errors|versions|files|environment)$", re.I)
ASKED = ("how to {}", "how do I use {}", "what is {}", "what does {} do", "how does {} work", "where is {} explained",
         "can I change {}", "problem with {}", "why does my {} fail", "when should I use {}", "{} example",
         "{} not working", "difference between {} and {other}", "how to configure {}", "is there a way to use {}")
WISHED = ("how to {}", "how do I {}", "how can I {}", "{}", "I want to {}", "what is the way to {}", "can I {}",
          "is it possible to {}", "what should I use to {}", "which option lets me {}")
SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z])")
CLAUSE = re.compile(r"[,;:.()]\s|\s(?:which|that|because|when|if|unless|but)\s")
PURPOSE = re.compile(r"\b(?:(?:used|useful|possible|easy|need|want|need(?:ed)?|able|in order|allows? (?:you|one|users)|lets you|"
                     r"how|way|try(?:ing)?) to|(?:you|it|which|that) can|lets you) ([a-z]+(?: [^\s.,;:()]+){2,9})")
FAILURE = re.compile(r"\b(?:error|errors|fail(?:s|ed|ure)?|cannot|can't|could not|unable|invalid|expected|unexpected|not found|"
                     r"missing|denied|refused|undefined|unknown|no such|too many|timed out|abort(?:s|ed)?|exception|"
                     r"overflow|deprecated|not supported|illegal|warning)\b", re.I)
OPTION = re.compile(r"(?<!\S)(--?[A-Za-z][\w-]*)(?:[= ]?[<\[A-Z][^\s]*)?,?\s+((?:[^\s]+\s+){2,9}[^\s]+)")
NAME = re.compile(r"\b(?:[A-Za-z]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+|[A-Za-z]+_\w+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+)\b(?:\(\))?")
FUNCTION = frozenset((
    "a an the and or but if of in on at to for from by with as is are was were be been being it its this that these those "
    "which who whom whose what there here then than so such not no nor do does did done has have had having will would "
    "shall should may might must can could you your we our they their he she his her i me my one ones also only any all "
    "each every some other into onto over under about via per up out off when where while because since until both either "
    "neither more most same very just e.g i.e etc").split())
EDGES = " \t.,;:!?()[]{}<>\"'`*|=#"


def heading_of(row, rng):
    """The last heading with as much of the page's title as a searcher would type; None if it says nothing."""
    title, last = row["title"], row["heading"].rsplit(" > ", 1)[-1]
    if GENERIC.match(title):
        title = ""
    if not last or GENERIC.match(last):
        return f"{title} {last.lower()}".strip() if title and rng.random() < 0.3 else title
    return f"{title} {last}" if title and rng.random() < 0.3 else last


def asked(text, words, rng):
    other = rng.choice(words) if words else "it"
    return rng.choice(ASKED).format(text if rng.random() < 0.3 else text.lower(), other=other.strip(EDGES))


def clause_of(sentence):
    parts = CLAUSE.split(sentence, maxsplit=2)
    words = (parts[0] if len(parts[0].split()) >= 3 or len(parts) == 1 else " ".join(parts[:2])).split()
    return " ".join(words[:14]).strip(EDGES)


def keywords_of(words, rng):
    """A run of the passage's words without function words, in or out of order."""
    start = rng.randrange(max(1, len(words) - 8))
    run = [w.strip(EDGES) for w in words[start : start + 14]]
    run = [w for w in run if w and w.lower() not in FUNCTION and any(map(str.isalpha, w))]
    run = run[: rng.choice((2, 2, 3, 3, 4, 5, 6, 8))]
    if rng.random() < 0.25:
        rng.shuffle(run)
    return " ".join(run if rng.random() < 0.4 else [w.lower() for w in run])


def failure_of(sentences, rng):
    """The stretch around a word of failure."""
    for sentence in rng.sample(sentences, len(sentences)):
        if found := FAILURE.search(sentence):
            before = sentence[: found.start()].split()[-rng.randrange(1, 8):]
            after = sentence[found.start():].split()[: rng.randrange(3, 11)]
            return " ".join(before + after).strip(EDGES)
    return None


def named(text, heading, rng):
    found = list(dict.fromkeys(NAME.findall(text)))
    if not found:
        return None
    name = rng.choice(found)
    extra = heading.lower() if heading and rng.random() < 0.4 else ""
    return f"{name} {extra}".strip()


def short_texts(row, rng):
    """Some of the forms above for one passage: each that it has, most of the time."""
    text, heading = row["text"], heading_of(row, rng) or ""
    sentences = [s for s in SENTENCE.split(text) if 20 <= len(s) <= 400]
    words = text.split()
    forms = []
    if heading:
        forms.append(("question", asked(heading, words, rng)) if rng.random() < 0.3 else ("heading", heading))
    if found := PURPOSE.findall(text):
        forms.append(("question", rng.choice(WISHED).format(rng.choice(found).strip(EDGES))))
    if sentences:
        sentence = rng.choice(sentences)
        if len(sentence) <= 110 and rng.random() < 0.6:
            forms.append(("sentence", sentence))
        forms.append(("clause", clause_of(rng.choice(sentences))))
    forms.append(("keywords", keywords_of(words, rng)))
    forms.append(("keywords", keywords_of(words, rng)))
    if failure := failure_of(sentences, rng):
        forms.append(("error", failure))
    if found := OPTION.findall(text):
        flag, description = rng.choice(found)
        forms.append(("option", rng.choice((flag, description, f"{flag} {description}")).strip(EDGES)))
    if rng.random() < 0.5 and (name := named(text, heading, rng)):
        forms.append(("name", name))
    return [(form, t[:120]) for form, t in dict.fromkeys(forms) if len(t) >= 3 and re.search("[A-Za-z]{2}", t)]
