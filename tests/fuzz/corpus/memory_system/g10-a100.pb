g10-a100The system of G10 (MICRO 2023): A100 with 40 GB, 128 GB host memory over PCIe 3.0 x16 at 15.754 GB/s each way, SSD at 3.2 GB/s. Only device memory is addressable. Memory bandwidth of the A100 40 GB: 1555 GB/s. Peak FLOP/s in single precision: 19.5 TFLOP/s, the data sheet of the A100."+
hbm€€€€ *	€όγι -2	€όγι -H€ X`"(
host€€€€€*€ν‹Ψ:2€ν‹Ψ:H€ X`"/
ssd€€τφ]*€ΐπυ2€ΐπυ8 @ H€ X`*€ν‹Ψ:*€ν‹Ψ:*€ΐπυ  *€ΐπυ  2A1008€πΚ”Γ·