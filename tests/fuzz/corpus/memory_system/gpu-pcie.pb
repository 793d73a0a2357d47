gpu-pcieÀA GPU over PCIe 3.0 x16 as in AutoTM's GPU study (ASPLOS 2020, section 7): device memory at 616 GB/s, host memory reached by copies of at most 16 GB/s, 12.8 GB/s of it in practice. Kernels cannot use host memory in place. Capacity 11 GB. Peak FLOP/s in single precision: 13.45 TFLOP/s, the data sheet of the RTX 2080 Ti."0
gpu€Üšı(*	€ Øãö2	€ Øãö8@H€ X`".
host€€”ëÜ*€€Â×/2€€Â×/8è@èH€ X`*
€€€ø‚­€€€€€Â×/ N*
€€€ø‚­€€€€€Â×/ N2RTX 2080 Ti8€Èã“¹‡