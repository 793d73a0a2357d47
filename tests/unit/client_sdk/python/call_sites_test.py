"""Callers that only test a result for truth are told from those that use it."""

import importlib.util
import os
import sys
import unittest

_SOURCE = os.path.join(os.environ["STOWAGE_SOURCE_DIR"],
                       "client_sdk/python/stowage/_call_sites.py")
_SPEC = importlib.util.spec_from_file_location("call_sites", _SOURCE)
call_sites = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(call_sites)


class Tensor:

    def __init__(self, address):
        self._address = address
        self.told = []

    def data_ptr(self):
        self.told.append(not call_sites.tests_truth(sys._getframe(1), "data_ptr"))
        return self._address


class CallSitesTest(unittest.TestCase):

    def setUp(self):
        self.tensor = Tensor(4096)

    def test_branches_and_comparisons_with_zero_test_for_truth(self):
        tensor = self.tensor
        if tensor.data_ptr():
            pass
        while not tensor.data_ptr():
            pass
        assert tensor.data_ptr()
        self.assertFalse(tensor.data_ptr() == 0)
        self.assertTrue(tensor.data_ptr() != 0)
        self.assertEqual([1], [1 for _ in range(1) if tensor.data_ptr() > 0])
        self.assertEqual(6 * [False], tensor.told)

    def test_all_else_uses_the_result(self):
        tensor = self.tensor
        address = tensor.data_ptr()
        self.assertEqual(address, tensor.data_ptr() + 0)
        self.assertTrue(tensor.data_ptr() == address)
        self.assertEqual([address], [tensor.data_ptr()])
        self.assertEqual(address, tensor.data_ptr() or 3)
        self.assertEqual(address, tensor.data_ptr() if address else 0)
        tensor.data_ptr()
        self.assertEqual(7 * [True], tensor.told)

    def test_the_result_of_a_function_in_c_that_calls_it_is_another(self):
        tensor = self.tensor
        if list(map(Tensor.data_ptr, [tensor])):
            pass
        while not max([tensor, tensor], key=Tensor.data_ptr):
            pass
        self.assertEqual(3 * [True], tensor.told)

    def test_a_result_that_is_returned_is_used(self):
        tensor = self.tensor
        self.assertEqual(4096, (lambda: tensor.data_ptr())())
        self.assertEqual([True], tensor.told)


if __name__ == "__main__":
    unittest.main()
