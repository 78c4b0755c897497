"""Texts that are hard to tokenise: written by hand, then by seeded chance. Used by make.py."""
import random
import unicodedata

# A sentence or so in many scripts and languages.
PROSE = [
    "Sheaf finds the passage you meant, even when you forgot its words.",
    "Le garçon naïf dîne à l'hôtel près de la forêt; où est l'œuvre du maître ?",
    "Größere Straßen führen übers Gebirge – ÄÖÜ äöü ẞ ß „Anführung“.",
    "El niño comió piñas; ¿cuándo volverá? ¡Mañana!",
    "Příliš žluťoučký kůň úpěl ďábelské ódy. Łódź, Gdańsk, źdźbło, zażółć gęślą jaźń.",
    "İstanbul'da ılık bir gün: IĞDIR, iğdır, ŞİŞLİ, dotless ı and dotted i̇.",
    "Tiếng Việt có rất nhiều dấu: ẤẦẨẪẬ ấầẩẫậ ưứừửữự Đđ.",
    "Ωραία μέρα σήμερα· ΟΔΥΣΣΕΥΣ, Ὀδυσσεύς; ᾳ ῃ ῳ ᾼ ΐ ΰ.",
    "Съешь же ещё этих мягких французских булок, да выпей чаю. Ёлка, йод, ЇЖАК.",
    "שָׁלוֹם עוֹלָם, זהו משפט בעברית עם ניקוד ובלי־ניקוד.",
    "اَلسَّلَامُ عَلَيْكُمْ، هذا نصّ عربيّ فيه تشكيل وأرقام ١٢٣ و؟ علامات.",
    "پښتو ژبه، فارسی می‌نویسیم، اُردُو میں لکھنا۔",
    "हिन्दी में लिखा हुआ एक वाक्य। क्षत्रिय ज़्यादा १२३",
    "বাংলা ভাষায় একটি বাক্য: কৌ কো র‍্য ড়ঢ়য়।", "ਪੰਜਾਬੀ ਵਿੱਚ ਸ਼ਬਦ", "ગુજરાતી વાક્ય", "ଓଡ଼ିଆ ଭାଷା",
    "தமிழில் ஒரு வாக்கியம்: கொ கோ கௌ ஔ.", "తెలుగు వాక్యం: కై", "ಕನ್ನಡ ವಾಕ್ಯ: ಕೋ ಕೊ", "മലയാളം വാക്യം: കൊ കോ കൌ", "සිංහල වාක්‍යය: කෝ කෞ",
    "ภาษาไทยไม่มีช่องว่าง กี่ ปู่ น้ำ", "ພາສາລາວ ນ້ຳ", "မြန်မာဘာသာ ဦ", "ភាសាខ្មែរ ស្រី", "བོད་སྐད་ ཀྵི རྫོགས་",
    "今日は良い天気ですね。カタカナとひらがな、ﾊﾝｶｸ、がぎぐげご。", "漢字かな交じり文、㈱と㍿と①②③。", "中文分词：我爱北京天安门，繁體中文也可以。",
    "한국어 문장은 이렇게 생겼습니다. 값이 얼마예요?", "ㄱㄴㄷ ㅏㅑㅓ 자모 각각 각",
    "ქართული ენა ᲥᲐᲠᲗᲣᲚᲘ", "Հայերեն լեզու և ՄԵԾԱՏԱՌ", "አማርኛ ቋንቋ።", "ᏣᎳᎩ ꮳꮃꭹ Cherokee", "ᐃᓄᒃᑎᑐᑦ", "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ᠌",
    "ꦧꦱꦗꦮ ᬩᬲᬩᬮᬶ ᬆᬈᬊ", "ⴰⵎⴰⵣⵉⵖ", "ߒߞߏ", "ދިވެހި", "ܠܫܢܐ ܣܘܪܝܝܐ", "𐐀𐐁𐐨 𐌰𐌱𐌲 𐤀𐤁 𒀀𒁀 𓀀𓁀", "ꓡꓲꓢꓳ ꆈꌠꉙ", "Ⲁⲁ Ⲃⲃ ⰀⰐ ⱀ",
]

# Code, commands, addresses, mathematics.
TECHNICAL = [
    "std::vector<std::unique_ptr<Foo>>&& x = {};", "template<class T> requires std::integral<T> auto f(T&&...) -> decltype(auto);",
    "fn main() -> Result<(), Box<dyn Error>> { println!(\"{:?}\", x?); Ok(()) }", "def __init__(self, *, key: str | None = None) -> None: ...",
    "const { data, error } = await useFetch<User[]>(`/api/${id}?q=1`);", "SELECT u.name, COUNT(*) FROM users AS u WHERE u.id <> 3 GROUP BY 1;",
    "#include <stdio.h>\nint main(void) {\n\treturn printf(\"%d\\n\", 0x7F);\n}\n", "git commit -am 'fix: #123' && git push --force-with-lease",
    "npm i -D @types/node@20.19.43", "docker run --rm -it -v $(pwd):/w -w /w alpine:3.20 sh -c 'ls -la'", "<div class=\"a b\" data-x='1'>&amp;&nbsp;&#x27;</div>",
    "{\"key\": [1, 2.5e-10, null, true], \"ключ\": \"значение\"}", "key: !!str \"v\" # yaml\n- &a [x, *a]", "^(?:[\\w.-]+)@[a-z]+\\.\\w{2,}$",
    "https://example.org:8080/a/b%20c?x=1&y=%E4%BD%A0#frag-ment", "mailto:someone+tag@sub.example.co.uk", "file:///C:/Program%20Files/x.txt",
    "C:\\Users\\me\\AppData\\Local\\Temp\\~$x.docx", "/usr/local/lib/python3.12/site-packages/", "../../src/encode/wordpiece.cc:42:7: error:", "192.168.0.1/24 ::1 fe80::1%eth0",
    "v1.2.3-rc.1+build.5", "2024-02-29T23:59:60.123456Z", "1,234,567.89 € £5 ¥6 $7 ₿8 ₹9", "50% ±3° 5′ 6″ ½ ¾ 10⁻³ x² H₂O m³", "E = mc²; ∑ᵢ xᵢ ≤ ∫₀^∞ e^{-x} dx ≠ ∅",
    "∀x∈ℝ ∃y: x≮y ∧ y≯x ∨ ¬(x≡y) ⇒ ⊥", "$$\\frac{\\partial f}{\\partial x} = \\alpha\\beta^{\\gamma}$$", "f: A → B, g∘f, x ↦ x⁻¹, ⟨a|b⟩ ‖v‖ ⌊x⌋", "a≠b a≮b a≯b a≢b ∄ ∉ ∌",
    "camelCaseName snake_case_name SCREAMING_SNAKE kebab-case-name dotted.path.name", "useEffect useState onClick v-model v-if :prop @click", "--save-dev -Wall -O2 /W4 +x",
    "C++ C# F# .NET node.js Vue.js a++ --b !important #hashtag @mention ~/.bashrc", "x->y x=>y x|>y x<-y x<=>y a?.b ?? c ?: d", "0xDEADBEEF 0b1010 1e-9 0o17 1_000_000 3.14f 42ul",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "550e8400-e29b-41d4-a716-446655440000", "aGVsbG8gd29ybGQ=", "ERROR [2024] (main) -- : undefined method `foo' for nil:NilClass",
    "don't can't it's we'll I'm they've o'clock rock'n'roll 'tis", "“curly” ‘single’ «guillemets» ‹x› „low“ 「鉤」『二重』 ‚x‛", "dash - en – em — bar ― minus − hyphen ‐ nb‑hyphen", "ellipsis… dots... ‥ ·middle· •bullet‣",
    "# Heading\n\n* item **bold** _it_ `code`\n\n| a | b |\n|---|:-:|\n> quote\n\n```js\nlet x\n```\n", "[link](http://x.y \"t\") ![img](a.png) [^1] <br/> \\* \\_", ".. note:: rst ``lit`` :ref:`x` |sub|_",
]

ODD = [
    "", " ", "   ", "\n", "\t\r\n", "\u00a0\u3000\u2003", "\u200b", "\ufeff", "\u0000", "\ufffd", "\u0000\ufffd\u200b\u00ad", ".", "...", "!?!?", "#", "##", "###", "##ing", "a##b", "-", "--", "_", "`", "^", "$", "+", "<", "=", "|", "~", "\u007f", "\u0085x\u0085",
    "a\u00a0b", "a\u2028b\u2029c", "a\u000bb\u000cc", "a\u001cb\u001db\u001eb\u001fc", "soft\u00adhyphen", "zero\u200bwidth", "join\u200der", "non\u200cjoiner", "word\u2060joiner", "\ufeffbom at the start", "bom\ufeffinside", "nul\u0000byte", "replacement\ufffdchar", "bell\u0007\u001b[31mred\u001b[0m",
    "rtl\u202eoverride\u202c", "\u2066isolate\u2069", "private\ue000use\uf8ff", "plane\U000f0000fifteen \U0010fffd", "un\u0378assigned \u0e5c \U0001fffe", "non\ufdd0character\ufffe \uffff", "\U000e0041tag\U000e007f", "variation\ufe0f\ufe0e\U000e0100",
    "ﬁ ﬂ ﬀ ﬃ ﬅ ĳ Ĳ ǆ ǅ Ǆ", "Ａｂｃ １２３ ！？（）～", "Ⅰ Ⅱ Ⅳ ⅷ Ⅻ ↀ ⅽ", "⁰¹²³⁴ ₀₁₂ ᵃᵇᶜ ₐₑ ª º", "① ⑳ ⒈ ⑴ ⓐ Ⓑ 🅰 🄰", "™ © ® ℠ № ℃ Å Ω K ℵ", "㎏ ㏑ ㍱ ㋿ ㈠", "𝐀𝑏𝒞𝔡𝕖 𝟘𝟙 𝛂", "ſ ẛ ﬆ ẚ ŉ", "Ǆ ǅ ǆ Ǉ ǈ ǉ Ǌ ǋ ǌ Ǳ ǲ ǳ",
    "😀 😃😄 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇫🇷 1️⃣ #️⃣ ❤️ ☺︎ 🧑🏿‍🚀 🫠", "♠♣♥♦ ♪♫ ✓✗ ★☆ ⌘⌥⇧ ␀ ░▒▓ ┌─┐ ⠓⠑", "→←↑↓⇒⇔ ↦ ⟶ ⤴", "¡¿§¶†‡‰‱※‽⁂", "´ ` ¨ ˆ ˜ ¸ ˛ ˝ ʻ ʼ ʹ", "٪ ، ؛ ؟ ۔ ٫ ٬ ـ تطويل", "।॥ ๏ ๚ ๛ ༄༅ ། ၊ ። ፡ ᠀ ᙭ ᙮ 〽",
    "[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]", "[cls]", "[mask]", "[ MASK ]", "[MASK", "MASK]", "[[MASK]]", "a[MASK]b", "a[MASK] b", "[CLS][SEP]", "[CLS] [CLS]", "Paris is the [MASK] of France.", "e[MASK]\u0301x", "[MA\u0000SK]", "[MÁSK]", "[MASK\u0301]", "[UNK]s [unused1] [unused99] <s> </s> <pad>", "[CL[CLS]S]", "[SEP][", "[PAD]中[PAD]", "x[SEP]##y", "\u0301[MASK]\u0301",
    "e\u0301 e\u0301\u0302 \u0301e a\u0328\u0301 a\u0301\u0328", "q\u0307\u0323 q\u0323\u0307", "o\u031b\u0323 ơ\u0323 ợ", "\u1100\u1161\u11a8 각 \u1100\uac00 가\u11a8", "\u0958 क\u093c", "\u212b \u00c5 A\u030a", "\u1e9b\u0323 \u017f\u0323\u0307",
    "\u0344 \u0340 \u0341 \u0343 \u0374 \u037e \u0387 \u1fef \u1ffd \u2000 \u2001 \u2126 \u212a \u2329\u232a", "\u0f73\u0f75\u0f81 \u0f43\u0f4d", "\U0001d15e\U0001d160\U0001d1c0 \U0001d165\U0001d16e\U0001d15f", "\u1b44\u302e\u302f\u0334x", "x\u302f\u1b44\u0316\U0001d165\u0301\U0001d16d", "か\u3099 が ハ\u309a ﾊﾞ ゛",
    "中\u0301文 \uf900\ufa0e\ufa5d \U0002f800\U0002f80c \U00020000\U0002a6d6 \U0002b820 \U0002ceb0 \U00030000 〇 〆 々 ⼀ ⺀ ㇀ 𛀁 ㄅㄆ", "a中b文c", "中文mixed文字test",
    "\u0130 \u0131 i\u0307 I\u0307 \u0049\u0307", "ΑΣ ΑΣΑ Σ ς σ ΌΣΟΣ", "ᾈ ᾳ ᾼ ῼ", "Ԁ Ꙁ Ɐ Ꞩ Ა Ꭰ ꭰ Ꮿ ᏸ", "ẞ SS ß ﬀ", "\U00010400\U00010428 \U00010c80 \U000118a0 \U0001e900 \U00016e40",
]

# Where lower-casing, accents and ideographs differ by option.
OPTION_TEXTS = [
    "Größe", "İstanbul Iğdır", "ÉCOLE école E\u0301COLE", "中文 Text 漢字", "\uf900\U0002f80c", "각 \u1100\u1161\u11a8", "が か\u3099", "[MASK] [Mask]", "≠ \u2329x\u232a \u037e", "Don't SHOUT", "\u1b44\u302e x\u302f\u0301\u1b44",
    "Apple APPLE apple", "ΟΔΟΣ", "ᾼ Ǆ ǅ", "\U0001d160\U0001d165", "a\u0301\u0328 \u0344",
]


def word(rng, alphabet, shortest=1, longest=12):
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(shortest, longest)))


def of_length():
    """Around the longest word of 100 code points, counted after normalisation."""
    for n in (1, 2, 50, 98, 99, 100, 101, 102, 200):
        yield "a" * n
        yield "x" + "é" * (n - 1) + " end"
        yield "lead " + "ü" * n + "."
        yield "a" + "\u0301" * n + "b"
    for n in (33, 34, 49, 50, 51, 100, 101):
        yield "각" * n  # three each
        yield "가" * n  # two each
        yield "𝐚" * n
        yield "क\u093fक" * n
        yield "x" * (n - 1) + "İ" * 2
    yield "ab" * 50 + "-" + "ab" * 51
    yield "中" * 150
    yield "\u302e" * 99 + "x"
    yield "x" + "\u302e\u1b44" * 50
    yield "a\u00ad" * 100
    yield "a\u200b" * 101
    yield "-" * 120
    yield "supercalifragilisticexpialidocious" * 3


def by_block(rng):
    """A word from every block of 128 code points that holds assigned characters, below the planes of ideographs and after."""
    for start in [*range(0, 0x3400, 128), *range(0x3400, 0xD800, 1024), *range(0xF900, 0x10000, 128), *range(0x10000, 0x13000, 256),
                  *range(0x16000, 0x17000, 256), *range(0x1B000, 0x1FC00, 256), *range(0x20000, 0x32000, 4096), 0xE0000, 0xE0100]:
        span = 128 if start < 0x3400 else 256
        members = [chr(n) for n in range(start, start + span) if unicodedata.category(chr(n)) not in ("Cs", "Cn")]
        if members:
            yield word(rng, members, 4, 12)
            yield " ".join(word(rng, members, 1, 3) for _ in range(4))


def by_chance(rng):
    planes = [(0x20, 0x7F)] * 4 + [(0xA0, 0x250)] * 3 + [(0x250, 0x2000)] * 3 + [(0x2000, 0x3100)] * 2 + [(0x3100, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x1FFFF), (0x20000, 0x10FFFF)]
    for _ in range(320):  # any code point at all
        yield "".join(chr(rng.randint(*rng.choice(planes))) for _ in range(rng.randint(1, 12)))
    marks = [chr(n) for n in range(0x300, 0x1E000) if not 0xD800 <= n < 0xE000 and unicodedata.category(chr(n)) in ("Mn", "Mc")]
    common = [chr(n) for n in range(0x300, 0x370)]
    rare = [c for c in marks if unicodedata.combining(c) not in (0, 220, 230)]
    for _ in range(260):  # combining marks in odd orders
        yield "".join(rng.choice("aeiouxAEK ") + word(rng, rng.choice([common, marks, rare]), 0, 4) for _ in range(rng.randint(1, 4)))
    pieces = PROSE + TECHNICAL + ODD
    for _ in range(200):  # cut out and joined anew
        parts = []
        for _ in range(rng.randint(2, 4)):
            text = rng.choice(pieces)
            at = rng.randint(0, len(text))
            parts.append(text[at:at + rng.randint(1, 12)])
        yield rng.choice(["", "", " ", "\u200b", "\u00a0", "-"]).join(parts)
    syllables = "tion ing er est ness able un re pre token iz embed vect search quer index pack sheaf ly al ic".split()
    for _ in range(160):  # made-up words, for the cutting into pieces
        made = "".join(rng.choice(syllables) for _ in range(rng.randint(2, 6)))
        yield rng.choice([made, made.upper(), made.title(), made + "_" + made[:4], made[:5] + str(rng.randint(0, 9999))])
    for _ in range(140):  # spaces, controls, hyphens between letters
        thin = "\u0009\u000a\u000b\u000d\u0020\u0085\u00a0\u00ad\u034f\u061c\u1680\u180e\u2000\u2007\u200b\u200d\u200e\u2028\u202f\u205f\u2060\u2064\u3000\ufe0f\ufeff\ufff9\ufffc"
        yield "".join(word(rng, "abcé中", 1, 3) + rng.choice(thin) for _ in range(rng.randint(2, 5)))


def everything():
    rng = random.Random(20240229)
    found = [*PROSE, *TECHNICAL, *ODD, *OPTION_TEXTS, *of_length(), *by_block(rng), *by_chance(rng)]
    found += [text.upper() for text in PROSE[:12]] + [unicodedata.normalize("NFD", text) for text in PROSE[:40]]
    found += [text.replace(" ", "\u00a0") for text in PROSE[:6]] + [text.replace(" ", "") for text in PROSE[:6] + TECHNICAL[:10]]
    return list(dict.fromkeys(found))


def long_ones():
    return [" ".join(PROSE[:12]), " ".join(TECHNICAL), "word " * 600, "unaffable" * 11 + " tail " * 300, "中文" * 300, "[MASK] " * 20 + "x", "a[SEP]" * 10, "embeddingvectors", ""]
