"""What the chart renders with each good set of values, once a process.

    class ObjectsTest(unittest.TestCase):

        @renderings.each
        def test_pods_have_a_name(self, objects):  # for each set of values
            ...
"""

import functools

import chart
import values


@functools.cache
def of(name):
    """Returns the objects that the chart renders with the good values of this name."""
    return chart.render(values.GOOD[name])


def all_of_them():
    return {name: of(name) for name in values.GOOD}


def each(test):
    """Makes a test of one rendering a test of them all."""
    @functools.wraps(test)
    def test_all(self):
        for name, objects in all_of_them().items():
            with self.subTest(name):
                test(self, objects)
    return test_all
