"""A graph for tests that plan or train without a job, as its JSON has it."""

# A chain whose kernels each need two tensors of 1 MiB. The first one is weights.
CHAIN = {
    "schemaVersion": 1,
    "name": "chain",
    "tensors": [{"sizeBytes": str(1 << 20), "persistent": k == 0} for k in range(9)],
    "kernels": [{
        "name": "op",
        "operands": [{"tensor": k, "read": True}, {"tensor": k + 1, "write": True}],
        "profile": {"fastInputsFastOutputs": {
            "durationNs": "1000000", "source": "DURATION_SOURCE_MEASURED"}},
    } for k in range(8)],
}
