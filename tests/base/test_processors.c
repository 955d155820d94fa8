/* SPDX-License-Identifier: MIT
 *
 * How many processors a process may use: quotas of control groups in files that the test writes, and
 * an affinity mask that it sets.
 */
#define _GNU_SOURCE /* sched_setaffinity */

#include "base/os_linux.h"

#include "support/check.h"
#include "support/test_folder.h"

#include <posemill/posemill.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>

static size_t machines; /* each test's files are in folders of their own */

/* Writes a file below the root of the present machine. */
static void put(const char *path, const char *text) {
    char whole[512];
    snprintf(whole, sizeof whole, "m%zu/%s", machines, path);
    test_folder_put_text(whole, text);
}

static void begin_machine(const char *groups) {
    machines++;
    put("proc/self/cgroup", groups);
}

static void expect_quota(size_t wanted) {
    char root[32];
    snprintf(root, sizeof root, "m%zu", machines);
    assert_int_equal(pm_linux_quota(root), wanted);
}

TEST(a_quota_is_rounded_up_to_whole_processors) {
    static const struct {
        const char *text;
        size_t wanted;
    } rows[] = {{"max 100000\n", SIZE_MAX}, {"200000 100000\n", 2},  {"150000 100000\n", 2},
                {"1000 100000\n", 1},       {"100000\n", SIZE_MAX},  {"", SIZE_MAX},
                {"0 100000\n", SIZE_MAX},   {"100000 0\n", SIZE_MAX}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        begin_machine("0::/a\n");
        put("sys/fs/cgroup/a/cpu.max", rows[i].text);
        expect_quota(rows[i].wanted);
    }
}

TEST(the_least_quota_on_the_way_to_the_root_counts) {
    begin_machine("0::/user.slice/deep/job\n");
    put("sys/fs/cgroup/user.slice/deep/job/cpu.max", "800000 100000\n");
    put("sys/fs/cgroup/user.slice/deep/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/user.slice/cpu.max", "300000 100000\n");
    put("sys/fs/cgroup/other/cpu.max", "100000 100000\n");
    expect_quota(3);
    put("sys/fs/cgroup/cpu.max", "50000 25000\n"); /* at the mount: the limit of a container */
    expect_quota(2);
}

TEST(quotas_of_version_1_are_read) {
    begin_machine("7:cpuset:/x\n5:cpu,cpuacct:/x/y\n2:memory:/x\n1:name=systemd:/x\n0::/x\n");
    put("sys/fs/cgroup/cpu/x/y/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/x/y/cpu.cfs_period_us", "100000\n");
    expect_quota(SIZE_MAX);
    put("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "450000\n");
    put("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
    expect_quota(5);
    put("sys/fs/cgroup/cpuset/x/cpu.cfs_quota_us", "100000\n"); /* not the hierarchy of `cpu` */
    put("sys/fs/cgroup/cpuset/x/cpu.cfs_period_us", "100000\n");
    expect_quota(5);
}

TEST(a_container_shows_its_own_group_at_the_mount) {
    begin_machine("4:cpu:/docker/abc/sub\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    expect_quota(4);
    begin_machine("0::/../elsewhere\n"); /* a group outside of the namespace */
    put("sys/fs/cgroup/cpu.max", "700000 100000\n");
    put("sys/fs/elsewhere/cpu.max", "100000 100000\n");
    expect_quota(7);
    begin_machine("0::/\n");
    put("sys/fs/cgroup/cpu.max", "600000 100000\n");
    expect_quota(6);
}

TEST(files_that_are_missing_or_odd_are_no_limit) {
    machines++;
    expect_quota(SIZE_MAX);
    begin_machine("no colon\n:\n0:\n\n");
    expect_quota(SIZE_MAX);
    begin_machine("0::/a\n");
    expect_quota(SIZE_MAX);
    begin_machine("0::/a\n");
    put("sys/fs/cgroup/a/cpu.max", "junk 1\n");
    expect_quota(SIZE_MAX);
}

TEST(the_affinity_mask_limits_the_processors) {
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    const size_t before = pm_processors();
    assert_in_range(before, 1, (size_t)CPU_COUNT(&all));
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    const size_t after = pm_processors();
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(after, 1);
    assert_int_equal(pm_processors(), before);
}

TEST_GROUP(test_folder_enter, test_folder_leave)
