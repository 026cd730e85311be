"""Documents of all releases, as text that other programs may have written."""

extras = ['"score":1.0', '"score": 1e3', r'"note":"Gr\u00fc\u00dfe\n\ud83d\ude00"', '"note":"Grüße 😀"', '"a\\/b":null',
          '"id":9007199254740993', '"id":12345678901234567890123',
          '"tags":["x",{"mail":1,"fax":-0.0}]', ' "spaced" : { } ']
names = ["Ada Lovelace", "Ludwig van Beethoven", "Plato", r"Bj\u00f6rk Guðmundsdóttir", "Ἀριστοτέλης ὁ Σταγειρίτης"]
cities = ["London", "Αθήνα", "Wien", r"M\u00fcnchen", "東京"]
years = ["1815", "1815.0", "1.815e3", "-427"]


def document(number, random):
    """Returns a document's key, type, version and content; and the code of its failure if it cannot be upgraded."""
    pick, version = random.choice, random.randrange(5)
    key = f'contact/{number}' + pick(["", "", "", ' "ä"\\'])
    kind = random.random()
    failure = pick(["unreadable", "cut", "newer", "mistyped", "twice", "unknown"]) if random.random() < 0.0005 else None
    if failure == "unreadable" or kind < 0.15:
        if version == 4 and failure != "unreadable":
            return key, "Call", 4, '{"person":"contact/%d","seconds":%d}' % (number, number % 9000), None
        length = "soon" if failure == "unreadable" else "%d:%02d" % divmod(number % 9000, 60)
        content = '{"person":"contact/%d","length":"%s",%s}' % (number, length, pick(extras))
        return key, "Call", version % 4, content, "stepFailed" if failure == "unreadable" else None
    if kind < 0.25 and not failure:
        members = ",".join('"contact/%d"' % random.randrange(number + 1) for _ in range(10))
        return key, "Group", version, '{"name":"%s", "members":[%s],%s}' % (pick(cities), members, pick(extras)), None

    if failure in ("cut", "mistyped", "twice"):
        version %= 2
    first, _, last = pick(names).partition(" ")
    mail, street, city = f'a{number}@example.com', f'"street":"{number % 99} St James’s"', f'"city":"{pick(cities)}"'
    full = f"{first} {last}".strip()
    name = f'"firstName":"{first}","lastName":"{last}"' if version > 2 else f'"fullName":"{full}"'
    parts = [f'"phone":"+44 20 {number % 9999}"', f'"birthYear":{pick(years)}', pick(extras)]
    parts += [f'"address":{{{street},{city}}}'] if version > 2 else [street, city]
    parts += ['"isFavorite":true'] if version == 4 else [f'"fax":"+44 21 {number % 9999}"']
    parts = [part for part in parts if random.random() < 0.9]
    parts.append(f'"email":"{mail}"' if version > 1 or failure == "twice" else f'"mail":"{mail}"')
    if failure == "twice":
        parts.append(f'"mail":"b{mail}"')
    random.shuffle(parts)
    content = "{" + ",".join(['"fullName":12' if failure == "mistyped" else name] + parts) + "}"
    type = "Robot" if failure == "unknown" else "Alien" if version < 2 else "Person"
    version, content = 9 if failure == "newer" else version, content[:-1] if failure == "cut" else content
    codes = {"cut": "malformedContent", "newer": "superseded", "mistyped": "typeMismatch", "twice": "propertyExists",
             "unknown": "unsupported"}
    return key, type, version, content, codes.get(failure)
