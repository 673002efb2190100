package io.polder.lab.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * What the control group of this process uses, of version 1 or 2, in a container or not.
 *
 * <pre>{@code
 * /proc/self/cgroup      4:memory:/docker/7f/x    version 1, the path of the group
 *                        0::/docker/7f/x          version 2
 * /proc/self/mountinfo   ... /docker/7f /sys/fs/cgroup/memory ... - cgroup cgroup rw,memory
 *                            ^ root     ^ mount point
 *
 * folder of the group  =  mount point + (path without root)
 * }</pre>
 *
 * <p>It counts page cache and kernel memory too, and counts a page until it is free: it tells of
 * memory given back where the resident set does not, as after an uncommit inside a huge page.
 */
public final class CgroupMemory {
    private CgroupMemory() {}

    /** What the group uses now; empty where there is none, or it cannot be seen. */
    public static OptionalLong currentBytes() {
        return currentBytes(Path.of("/"));
    }

    static OptionalLong currentBytes(Path root) {
        String path1 = null;
        String path2 = null;
        for (String line : lines(root.resolve("proc/self/cgroup"))) {
            String[] fields = line.split(":", 3);
            if (fields.length == 3 && List.of(fields[1].split(",")).contains("memory")) {
                path1 = fields[2];
            } else if (fields.length == 3 && fields[0].equals("0") && fields[1].isEmpty()) {
                path2 = fields[2];
            }
        }
        // On a machine with both, the controller sits where version 1 lists it.
        boolean version2 = path1 == null;
        String path = version2 ? path2 : path1;
        return path == null ? OptionalLong.empty() : currentBytes(root, path, version2);
    }

    private static OptionalLong currentBytes(Path root, String path, boolean version2) {
        for (String line : lines(root.resolve("proc/self/mountinfo"))) {
            String[] halves = line.split(" - ", 2);
            String[] mount = halves[0].split(" ", -1);
            String[] system = halves.length < 2 ? new String[0] : halves[1].split(" ", -1);
            if (mount.length >= 5 && system.length >= 3 && isMemory(system, version2)) {
                Path folder = folder(root.resolve(mount[4].substring(1)), mount[3], path);
                return number(
                        folder.resolve(version2 ? "memory.current" : "memory.usage_in_bytes"));
            }
        }
        return OptionalLong.empty();
    }

    private static boolean isMemory(String[] system, boolean version2) {
        return version2
                ? system[0].equals("cgroup2")
                : system[0].equals("cgroup") && List.of(system[2].split(",")).contains("memory");
    }

    /** That of the group; the mount point where, seen from another namespace, there is none. */
    private static Path folder(Path top, String mountRoot, String path) {
        String prefix = mountRoot.equals("/") ? "/" : mountRoot + "/";
        if (!(path + "/").startsWith(prefix)) {
            return top;
        }
        Path folder = top.resolve((path + "/").substring(prefix.length())).normalize();
        return folder.startsWith(top) && Files.isDirectory(folder) ? folder : top;
    }

    private static OptionalLong number(Path file) {
        List<String> lines = lines(file);
        try {
            return lines.isEmpty()
                    ? OptionalLong.empty()
                    : OptionalLong.of(Long.parseLong(lines.getFirst().trim()));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return List.of();
        }
    }
}
