package io.polder.lab.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Control groups from made-up file systems. */
class CgroupMemoryTest {
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
    void currentBytes_version2_isThatOfTheGroup() throws IOException {
        write("proc/self/cgroup", "0::/user.slice/app.scope\n");
        write("proc/self/mountinfo", V2_MOUNTS);
        write("sys/fs/cgroup/user.slice/app.scope/memory.current", "4096\n");
        assertThat(CgroupMemory.currentBytes(root)).hasValue(4096);
    }

    @Test
    void currentBytes_version1BesideVersion2_isOfTheOneWithTheController() throws IOException {
        write("proc/self/cgroup", "9:name=systemd:/\n4:memory:/app\n2:cpu,cpuacct:/\n0::/\n");
        write("proc/self/mountinfo", V1_MOUNTS);
        write("sys/fs/cgroup/memory/app/memory.usage_in_bytes", "8192\n");
        assertThat(CgroupMemory.currentBytes(root)).hasValue(8192);
    }

    @Test
    void currentBytes_containerWhoseMountIsItsOwnGroup_takesTheRootOff() throws IOException {
        write("proc/self/cgroup", "4:memory:/docker/7f/inner\n");
        write(
                "proc/self/mountinfo",
                "35 31 0:32 /docker/7f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
        write("sys/fs/cgroup/memory/inner/memory.usage_in_bytes", "512\n");
        assertThat(CgroupMemory.currentBytes(root)).hasValue(512);
    }

    @Test
    void currentBytes_pathOfAnotherNamespace_isThatOfTheMountPoint() throws IOException {
        write("proc/self/mountinfo", V2_MOUNTS);
        write("sys/fs/cgroup/memory.current", "1024\n");
        for (String path : new String[] {"/../../elsewhere", "/gone/away"}) {
            write("proc/self/cgroup", "0::" + path + "\n");
            assertThat(CgroupMemory.currentBytes(root)).hasValue(1024);
        }
    }

    @Test
    void currentBytes_noProc_isUnknown() {
        assertThat(CgroupMemory.currentBytes(root)).isEmpty();
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
