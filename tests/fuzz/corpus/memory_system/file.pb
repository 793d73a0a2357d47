file–DRAM and a file on a local NVMe disk, by direct I/O: 5.0 GB/s write and 3.5 GB/s read in 16 MB requests, 3.0 GB/s at 1 MB, 0.9 GB/s at 64 KB, measured on a two-core virtual machine; memory copies 20 GB/s a thread. Kernels cannot use the file in place but may stream operands through a window. Peak FLOP/s in single precision of that machine: 2 cores x 2.5 GHz x 64 a cycle (two AVX-512 multiply-add units)."'
dram*€ßÀJ2€ßÀJ8d@dH€ X`"+
file *€†÷„2€ä—Ğ8 @°êH€ X`*'
€€€Ò“­
€€@€¼Á–€€€€ä—Ğ*'
€€€Ò“­
€€@€¼Á–€€€€†÷„2Xeon, 2 cores at 2.5 GHz8€€ò‹¨	