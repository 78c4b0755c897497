"""docs/notebooks/search.ipynb shows what its code gives today.

After a change of ranking or of the notebook, in an environment with nbconvert, ipykernel and sheaf-docs:
    cd docs/notebooks && jupyter nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False search.ipynb
"""

import ast
import contextlib
import io
import json
import os
import unittest

from support import ROOT

NOTEBOOK = ROOT / "docs" / "notebooks" / "search.ipynb"


def run_cell(source, names):
    """What the cell prints, and the value of its last line if that is an expression."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(last, "cell", "eval"), names) if last else None
    return printed.getvalue(), value


def stored(cell):
    """The same of the stored outputs, the value as it is shown."""
    outputs = cell["outputs"]
    printed = "".join("".join(each["text"]) for each in outputs if each["output_type"] == "stream")
    shown = [each["data"] for each in outputs if each["output_type"] == "execute_result"]
    data = shown[0] if shown else {}
    return printed, "".join(data.get("text/html", data.get("text/plain", "")))


def shown(value):
    return "" if value is None else value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


class Notebook(unittest.TestCase):
    def test_every_cell_gives_what_it_shows(self):
        cells = [cell for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(NOTEBOOK.parent)
        names = {}
        for cell in cells:
            source = "".join(cell["source"])
            printed, value = run_cell(source, names)
            self.assertEqual((printed, shown(value)), stored(cell), source)
        self.assertGreater(sum(bool(cell["outputs"]) for cell in cells), 8)


if __name__ == "__main__":
    unittest.main()
