# SPDX-License-Identifier: ISC
"""JSON Schema (draft 2020-12), as much of it as our schemas use; a keyword
that is not known here is an error and not overlooked."""

import re

TYPES = {"string": str, "object": dict, "array": list, "boolean": bool,
         "null": type(None), "integer": int}


def is_type(doc, name):
    if name == "integer" and isinstance(doc, bool):
        return False
    return isinstance(doc, TYPES[name])


def problems(doc, schema, root, at="$"):
    """What in the document is not as the schema says."""
    out = []

    def wrong(text):
        out.append("%s: %s, but %r" % (at, text, doc))

    def below(sub, what, where):
        out.extend(problems(what, sub, root, where))

    for key, want in schema.items():
        if key in ("description", "title", "$schema", "$defs"):
            continue
        if key == "$ref":
            assert want.startswith("#/$defs/"), want
            below(root["$defs"][want[len("#/$defs/"):]], doc, at)
        elif key == "type":
            names = want if isinstance(want, list) else [want]
            if not any(is_type(doc, name) for name in names):
                wrong("type is " + "|".join(names))
        elif key == "enum":
            if not any(doc == v and type(doc) is type(v) for v in want):
                wrong("one of %r" % want)
        elif key == "const":
            if doc != want or type(doc) is not type(want):
                wrong("is %r" % want)
        elif key == "anyOf":
            if all(problems(doc, sub, root, at) for sub in want):
                wrong("is none of %r" % want)
        elif key == "pattern":
            if isinstance(doc, str) and not re.search(want, doc):
                wrong("is like " + want)
        elif key == "minimum":
            if is_type(doc, "integer") and doc < want:
                wrong("is at least %d" % want)
        elif key == "minItems":
            if isinstance(doc, list) and len(doc) < want:
                wrong("has at least %d" % want)
        elif key == "maxItems":
            if isinstance(doc, list) and len(doc) > want:
                wrong("has at most %d" % want)
        elif key == "prefixItems":
            for i, sub in enumerate(want if isinstance(doc, list) else []):
                if i < len(doc):
                    below(sub, doc[i], "%s[%d]" % (at, i))
        elif key == "items":
            for i, item in enumerate(doc if isinstance(doc, list) else []):
                below(want, item, "%s[%d]" % (at, i))
        elif key == "properties":
            for name, sub in want.items() if isinstance(doc, dict) else []:
                if name in doc:
                    below(sub, doc[name], "%s.%s" % (at, name))
        elif key == "required":
            for name in want if isinstance(doc, dict) else []:
                if name not in doc:
                    wrong("has " + name)
        elif key == "additionalProperties":
            assert want is False
            for name in doc if isinstance(doc, dict) else []:
                if name not in schema["properties"]:
                    wrong("has no " + name)
        else:
            raise ValueError("%s: keyword %s is not known" % (at, key))
    return out
