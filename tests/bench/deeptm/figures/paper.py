"""Has every number that section VI (and II-C for figure 4) of the paper's text gives.

DeepTM, IEEE TPDS 2024. The figures themselves have no numbers.
"""

# II-C. Figure 4 is drawn by kernel.
FIGURE_4 = {
    "inconsistent": "no single characteristic keeps what kernels need in DRAM throughout",
    "all four": "weighing all four characteristics is what is needed: `{}` over the best single",
}

# VI-A: episodes until the training converges. Table II has 200 episodes in all.
FIGURE_13 = {"inception_v4": 130, "vgg19": 200, "alexnet": 200, "resnet152": 300,
             "mobilenet_v2": 300}

# VI-B: performance relative to infinite DRAM at 1:4, batch 512, synchronous,
# "across the five DNN models, respectively": the order is not stated. This is
# figure 17's: AlexNet, ResNet, Inception, MobileNet, VGG19.
FIGURE_14 = {"alexnet": 0.902, "resnet152": 0.949, "inception_v4": 0.861,
             "mobilenet_v2": 0.832, "vgg19": 0.863}
# Gains, least and most over the models.
GAIN_SENTINEL = (0.199, 0.355)
GAIN_AUTOTM = (0.311, 0.493)
GAIN_SENTINEL_GPU = (0.200, 0.362)
GAIN_AUTOTM_GPU = (0.147, 0.421)
GAIN_DRL_SYNC = (0.1605, 0.2949)
GAIN_DRL_ASYNC = (0.1355, 0.2133)
# DeepTM-async over Origin-TF (first touch), on average: "8.83x".
TIMES_ORIGIN = 8.83

# VI-C: AutoTM's (Gurobi's) overhead over DeepTM's, ResNet-152.
FIGURE_15_MEMORY = 109
FIGURE_15_TIME = 18.2

# VI-D, against a ratio of 1:4. The text gives all of these; the first pair and
# the savings of beta = 0.25 exclude each other.
FIGURE_16_GAIN = {0.25: 0.0763}
FIGURE_16_COST = {0.25: 0.057}
FIGURE_16_SAVINGS = {0.25: 0.2420, 0.5: 0.2005, 0.75: 0.0640}
FIGURE_16_NO_LOSS = 0.056  # saved at 0.5 and 0.75 "with virtually no degradation"
PRICES = (23.81, 7.85)  # US dollars per GB, DRAM and persistent memory

# VI-D: least DRAM, as a share of the peak, for 90 % of full speed, batch 512.
FIGURE_17 = {"alexnet": 0.167, "resnet152": 0.152, "inception_v4": 0.248,
             "mobilenet_v2": 0.283, "vgg19": 0.244}
# DRAM saved on average over Sentinel and AutoTM, by batch.
FIGURE_17_SAVED = {512: (0.117, 0.110), 128: (0.102, 0.113)}

# VI-D: bandwidth utilisation with and without the aggregator, ResNet-152.
FIGURE_18 = (0.80, 0.40)
