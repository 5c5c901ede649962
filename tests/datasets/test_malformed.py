"""Every malformed file is refused with a sentence that names the file and the line."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from svmosaic.datasets import read_table
from svmosaic.exceptions import DataFileError

HEAD = "@relation r\n@attribute a real\n@attribute c {x,y}\n@data\n"

# (format, content, line at fault, part of the sentence)
MALFORMED = [
    ("libsvm", "", 1, "no samples"),
    ("libsvm", "# only a comment\n\n", 2, "no samples"),
    ("libsvm", "1\n2\n", 2, "no line so far has a feature"),
    ("libsvm", "x 1:1\n", 1, "the label 'x' is not a number"),
    ("libsvm", "1 1:1\n1,2 1:1\n", 2, "the label '1,2' is not a number"),
    ("libsvm", "nan 1:1\n", 1, "the label 'nan' is not finite"),
    ("libsvm", "1:1 2:2\n", 1, "the label '1:1'"),
    ("libsvm", "1 1:1\n\n1 a:1\n", 3, "expected index:value, got 'a:1'"),
    ("libsvm", "1 1\n", 1, "expected index:value, got '1'"),
    ("libsvm", "1 1 :2\n", 1, "expected index:value"),
    ("libsvm", "1 1:\n", 1, "the value '' of feature 1"),
    ("libsvm", "1 1: 2\n", 1, "the value '' of feature 1"),
    ("libsvm", "1 1:1x\n", 1, "the value '1x' of feature 1 is not a number"),
    ("libsvm", "1 1:0x1p3\n", 1, "is not a number"),
    ("libsvm", "1 1:1_000\n", 1, "is not a number"),
    ("libsvm", "1 1:1e999\n", 1, "is not finite"),
    ("libsvm", "1 1:-inf\n", 1, "is not finite"),
    ("libsvm", "1 0:1\n", 1, "indices count from 1"),
    ("libsvm", "1 -1:1\n", 1, "indices count from 1"),
    ("libsvm", "1 7:1 3:1\n", 1, "feature index 3 does not follow 7; indices must ascend"),
    ("libsvm", "1 3:1 3:1\n", 1, "feature index 3 does not follow 3"),
    ("libsvm", "1 10000001:1\n", 1, "above the limit of 10000000"),
    ("libsvm", "1 2147483646:1\n", 1, "above the limit"),
    ("libsvm", "1 99999999999999999999999:1\n", 1, "above the limit"),
    ("libsvm", "1 qid:x 1:1\n", 1, "is not an integer"),
    ("libsvm", "1 1:1 qid:3\n", 1, "expected index:value"),
    ("libsvm", "1 1:\x00\n", 1, r"'\x00'"),
    ("libsvm", "1 1:１\n", 1, "is not a number"),
    ("csv", "", 1, "the file is empty"),
    ("csv", "\n \n", 1, "the file is empty"),
    ("csv", "a,b\n", 1, "the table has no rows"),
    ("csv", "1,2,3\n4,5\n", 2, "the row has 2 cells; expected 3"),
    ("csv", "1,2\n4,5,6\n", 2, "the row has 3 cells; expected 2"),
    ("csv", "a,b,c\n1,2,3\n\n1,2,3,4\n", 4, "the row has 4 cells; expected 3"),
    ("csv", "a,a,c\n1,2,3\n", 1, "columns 1 and 2 are both called 'a'"),
    ("csv", "a,c\n1,2\nx,3\n", 3, "column 'a' holds numbers, got 'x'"),
    ("csv", "a,c\n1,2\n1_0,3\n", 3, "column 'a' holds numbers, got '1_0'"),
    ("csv", "a,c\n1,2\n１,3\n", 3, "column 'a' holds numbers"),
    ("csv", "a,c\n1,2\n,3\n", 3, "column 'a' has no value"),
    ("csv", "a,c\n1,2\n?,3\n", 3, "column 'a' has no value"),
    ("csv", "a,c\n1,2\nNA,3\n", 3, "column 'a' has no value"),
    ("csv", "a,c\n1,2\n3,\n", 3, "the target 'c' has no value"),
    ("csv", "a,c\n1,2\nnan,3\n", 3, "is not finite"),
    ("csv", "a,c\n1,2\n1e400,3\n", 3, "the value '1e400' of column 'a' is not finite"),
    ("csv", "a,c\n1,2\n3,inf\n", 3, "is not finite. Correct the cell."),
    ("csv", "a,c\nu,x\n?,y\n", 3, "column 'a' has no value"),
    ("csv", 'a,c\n"u,x\n', 2, "the quotes are wrong"),
    ("csv", 'a,c\n"u"v,x\n', 2, "the quotes are wrong"),
    ("csv", b"a,c\n1,\xff\n", 2, "byte 0xff is not UTF-8"),
    ("csv", b"a,c\n1,\x00\n", 2, "a NUL byte is not text"),
    ("arff", "", 1, "the file ends before @data"),
    ("arff", "% comment\n@relation r\n@attribute a real\n", 3, "the file ends before @data"),
    ("arff", "1,2,3\n", 1, "expected @relation, @attribute or @data, got '1,2,3'"),
    ("arff", "@relation r\n@inputs a\n", 2, "got '@inputs'"),
    ("arff", "@relation r\n@end bag\n", 2, "got '@end'"),
    ("arff", "@relation r\n@data\n", 2, "@data comes before any @attribute"),
    ("arff", "@relation 'r\n", 1, "a quote is not closed"),
    ("arff", "@relation r\n@attribute\n", 2, "the attribute has no name"),
    ("arff", "@relation r\n@attribute {a,b}\n", 2, "the attribute has no name"),
    ("arff", "@relation r\n@attribute 'a real\n", 2, "a quote is not closed"),
    ("arff", "@relation r\n@attribute a\n", 2, "attribute 'a' has the unknown type ''"),
    ("arff", "@relation r\n@attribute a float\n", 2, "the unknown type 'float'"),
    ("arff", "@relation r\n@attribute a real [0,1]\n", 2, "unexpected '[0,1]' after the type"),
    ("arff", "@relation r\n@attribute a {x,y\n", 2, "a brace at the end"),
    ("arff", "@relation r\n@attribute a {x,,y}\n", 2, "a value is empty"),
    ("arff", "@relation r\n@attribute a {}\n", 2, "a value is empty"),
    ("arff", "@relation r\n@attribute a {x,y} z\n", 2, "unexpected 'z'"),
    ("arff", "@relation r\n@attribute a {x,x}\n", 2, "'x' is twice a value of 'a'"),
    ("arff", "@relation r\n@attribute a {x,?}\n", 2, "? is a value of attribute 'a'"),
    ("arff", "@relation r\n@attribute a {'x' 'y'}\n", 2, "need commas between them"),
    ("arff", "@relation r\n@attribute a real\n@attribute a real\n", 3, "declared in line 2"),
    ("arff", "@relation r\n@attribute bag relational\n", 2, "attribute 'bag' is relational"),
    ("arff", "@relation r\n@attribute t string\n@attribute c {x}\n@data\na,x\n", 2, "is a string"),
    ("arff", "@relation r\n@attribute t date\n@attribute c {x}\n@data\na,x\n", 2, "is a date"),
    ("arff", HEAD, 4, "no rows follow @data"),
    ("arff", HEAD + "1,x\n1\n", 6, "the row has 1 cells; expected 2"),
    ("arff", HEAD + "1,x,3\n", 5, "the row has 3 cells; expected 2"),
    ("arff", HEAD + "1;x\n", 5, "the row has 1 cells"),
    ("arff", HEAD + "b,x\n", 5, "column 'a' holds numbers, got 'b'"),
    ("arff", HEAD + "1,z\n", 5, "'z' is not a declared value of column 'c'"),
    ("arff", HEAD + ",x\n", 5, "column 'a' holds numbers, got ''"),
    ("arff", HEAD + "'1',\n", 5, "a value is empty"),
    ("arff", HEAD + "?,x\n", 5, "column 'a' has no value"),
    ("arff", HEAD + "1,?\n", 5, "the target 'c' has no value"),
    ("arff", HEAD + "nan,x\n", 5, "is not finite"),
    ("arff", HEAD + "1,'x\n", 5, "a quote is not closed"),
    ("arff", HEAD + "1,'x'y\n", 5, "text follows a closing quote"),
    ("arff", HEAD + "1,x'y\n", 5, "a quote is inside a value"),
    ("arff", HEAD + "1,x%y\n", 5, "a % is inside a value"),
    ("arff", HEAD + "1,'\\q'\n", 5, "the escape \\q is unknown"),
    ("arff", HEAD + "1,x,{b}\n", 5, "the instance weight is wrong"),
    ("arff", HEAD + "1,x,{-1}\n", 5, "the instance weight is wrong"),
    ("arff", HEAD + "1,x,{2\n", 5, "the instance weight is wrong"),
    ("arff", HEAD + "1,x,{2} 3\n", 5, "the instance weight is wrong"),
    ("arff", HEAD + "1,x\n{0 1}\n", 6, "a sparse row among dense rows"),
    ("arff", HEAD + "{0 1}\n1,x\n", 6, "a dense row among sparse rows"),
    ("arff", HEAD + "{0 1\n", 5, "does not end with a brace"),
    ("arff", HEAD + "{0}\n", 5, "expected an attribute number, a blank and a value"),
    ("arff", HEAD + "{a 1}\n", 5, "expected an attribute number"),
    ("arff", HEAD + "{-1 1}\n", 5, "expected an attribute number"),
    ("arff", HEAD + "{'0' 1}\n", 5, "expected an attribute number"),
    ("arff", HEAD + "{0 1,,1 x}\n", 5, "expected an attribute number"),
    ("arff", HEAD + "{2 1}\n", 5, "attribute number 2 is too large"),
    ("arff", HEAD + "{999999999999999999 1}\n", 5, "is too large"),
    ("arff", HEAD + "{1 x, 0 1}\n", 5, "attribute number 0 does not follow 1"),
    ("arff", HEAD + "{0 1, 0 1}\n", 5, "attribute number 0 does not follow 0"),
    ("arff", HEAD + "{0 b}\n", 5, "column 'a' holds numbers, got 'b'"),
    ("arff", HEAD + "{1 z}\n", 5, "'z' is not a declared value"),
    ("arff", HEAD + "{0 1} 2\n", 5, "text follows the closing brace"),
    ("arff", HEAD + "{0 1}, {x}\n", 5, "the instance weight is wrong"),
    ("arff", HEAD.encode() + b"1,\xe9\n", 5, "byte 0xe9 is not UTF-8"),
]


@pytest.mark.parametrize(("format", "content", "line", "reason"), MALFORMED)
def test_sentence_names_file_and_line(write, format, content, line, reason):
    path = write("bad.dat", content)

    with pytest.raises(DataFileError) as caught:
        read_table(path, format=format)

    message = str(caught.value)
    assert message.startswith(f"bad.dat, line {line}: ")
    assert message.endswith(".")
    assert reason in message


def test_there_are_enough_malformed_files():
    assert len(MALFORMED) >= 50


@pytest.mark.parametrize("format", ["libsvm", "csv", "arff"])
@example(content=HEAD.encode() + b"{0 1,1 x}\n")
@example(content=b"1,2\n3,4")
@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.text("01.-e,;:?'\"{}%#@\\ \t\n\rabxnif", max_size=200).map(str.encode),
        st.text("01.-,?'\"{}%\\ \t\nxy", max_size=80).map(lambda rows: (HEAD + rows).encode()),
    )
)
def test_any_bytes_are_read_or_refused(tmp_path_factory, format, content):
    path = tmp_path_factory.mktemp("fuzz") / "bad.dat"
    path.write_bytes(content)

    message = None
    try:
        data = read_table(path, format=format, allow_nan=True)
    except DataFileError as error:
        message = str(error)

    if message is None:
        assert data.X.shape[0] == len(data.y)
    else:
        assert re.match(r"bad\.dat(, line \d+)?: .*\.$", message, re.DOTALL)


def test_missing_file_is_not_a_malformed_one(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "absent.csv")
