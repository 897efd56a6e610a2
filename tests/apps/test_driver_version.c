/* The driver's version in the wordings that NVIDIA's modules have used. */
#include "apps/common/devices.h"
#include "tests/support/run_suite.h"

#define SEVENS "7.7.7.7.7.7.7.7.7.7.7.7.7.7.7.7." /* half of DRIVER_VERSION_TEXT */

static const struct {
    const char *line, *version;
} cases[] = {
    {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:17:21 UTC 2025\n",
     "580.65.06"},
    {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  390.157  Wed Oct 12 09:19:07 UTC 2022\n",
     "390.157"},
    {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  "
     "(builder@host.invalid)  Tue Apr  1 10:00:00 UTC 2026\n",
     "580.159.04"},
    {"NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release Build",
     "580.95.05"},
    {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  Release Build 7\n", "unknown"},
    {"", "unknown"},
    {SEVENS SEVENS SEVENS SEVENS, SEVENS "7.7.7.7.7.7.7.7.7.7.7.7.7.7.7.7"}, /* cut */
};

START_TEST(test_wordings)
{
    char version[DRIVER_VERSION_TEXT];

    driver_version_parse(cases[_i].line, version);
    ck_assert_str_eq(version, cases[_i].version);
}

TEST_CASES(driver_version, 0, LOOP(test_wordings, 0, sizeof cases / sizeof cases[0]))
