package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Limits from made-up file systems, and from this one. */
class KernelLimitsTest {

    private static final String V1_MOUNTS =
            """
            31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
            33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
            35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
            41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
            """;
    private static final String V2_MOUNTS =
            "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";

    @TempDir Path root = Path.of("replaced by JUnit");

    @Test
    void read_version2_isTheLeastOnTheWayUp() throws IOException {
        write("proc/self/cgroup", "0::/user.slice/app.scope\n");
        write("proc/self/mountinfo", V2_MOUNTS);
        write("sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
        write("sys/fs/cgroup/user.slice/app.scope/memory.max", "max\n");
        write("sys/fs/cgroup/user.slice/app.scope/memory.current", "4096\n");
        assertThat(limit()).hasValue(1L << 30);
        assertThat(CgroupMemory.find(root).orElseThrow().currentBytes()).hasValue(4096);
        write("sys/fs/cgroup/user.slice/app.scope/memory.max", "536870912\n");
        assertThat(limit()).hasValue(1L << 29);
    }

    @Test
    void read_version2Unlimited_isAbsent() throws IOException {
        write("proc/self/cgroup", "0::/\n");
        write("proc/self/mountinfo", V2_MOUNTS);
        write("sys/fs/cgroup/memory.max", "max\n");
        assertThat(limit()).isEmpty();
    }

    @Test
    void read_version1BesideVersion2_usesTheOneWithTheController() throws IOException {
        write("proc/self/cgroup", "9:name=systemd:/\n4:memory:/app\n2:cpu,cpuacct:/\n0::/\n");
        write("proc/self/mountinfo", V1_MOUNTS);
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "268435456\n");
        write("sys/fs/cgroup/memory/app/memory.usage_in_bytes", "8192\n");
        assertThat(limit()).hasValue(256L << 20);
        assertThat(CgroupMemory.find(root).orElseThrow().currentBytes()).hasValue(8192);
    }

    @Test
    void read_version1Unlimited_isAbsent() throws IOException {
        write("proc/self/cgroup", "4:memory:/\n");
        write("proc/self/mountinfo", V1_MOUNTS);
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assertThat(limit()).isEmpty();
    }

    @Test
    void read_containerWhoseMountIsItsOwnGroup_takesTheRootOff() throws IOException {
        write("proc/self/cgroup", "4:memory:/docker/7f/inner\n");
        write(
                "proc/self/mountinfo",
                "35 31 0:32 /docker/7f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576\n");
        write("sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "524288\n");
        assertThat(limit()).hasValue(512L << 10);
        write("proc/self/cgroup", "4:memory:/docker/7f\n");
        assertThat(limit()).hasValue(1L << 20);
    }

    @Test
    void read_pathOfAnotherNamespace_usesTheMountPoint() throws IOException {
        write("proc/self/mountinfo", V2_MOUNTS);
        write("sys/fs/cgroup/memory.max", "1048576\n");
        for (String path : new String[] {"/../../elsewhere", "/gone/away"}) {
            write("proc/self/cgroup", "0::" + path + "\n");
            assertThat(limit()).hasValue(1L << 20);
        }
    }

    @Test
    void read_noProc_knowsOnlyThePage() throws IOException {
        KernelLimits limits = KernelLimits.read(4096, root);
        assertThat(limits)
                .isEqualTo(new KernelLimits(4096, OptionalLong.empty(), OptionalLong.empty()));
        assertThat(CgroupMemory.find(root)).isEmpty();
    }

    @Test
    void read_mapCount_isTheNumberInTheFile() throws IOException {
        write("proc/sys/vm/max_map_count", "65530\n");
        assertThat(KernelLimits.read(4096, root).maxMapCount()).hasValue(65530);
        write("proc/sys/vm/max_map_count", "what?\n");
        assertThat(KernelLimits.read(4096, root).maxMapCount()).isEmpty();
    }

    @Test
    void limits_oddPage_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new KernelLimits(5000, OptionalLong.empty(), OptionalLong.empty()))
                .withMessage("the OS page must be a power of two: osPageSize=5000");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void read_thisMachine_hasAMapCount() {
        KernelLimits limits = Providers.choose().provider().limits();
        System.out.println("limits of this machine: " + limits);
        assertThat(limits.maxMapCount().orElseThrow()).isGreaterThan(1000);
    }

    private OptionalLong limit() throws IOException {
        return KernelLimits.read(4096, root).memoryLimitBytes();
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
