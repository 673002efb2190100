package io.polder.memory;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The memory controller of the control group this process is in: version 1 or 2, in a container or
 * not.
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
 * <p>A limit binds the group and everything below it, so the limit of a group is the least of its
 * own and those of the groups above it, as far as they are visible. What the group uses counts page
 * cache and kernel memory too, and counts a page until it is free: it tells of memory given back
 * where the resident set does not, as after an uncommit inside a huge page.
 */
public final class CgroupMemory {

    /** A version 1 group without limit has the largest number of whole pages; never a real one. */
    private static final long UNLIMITED_BYTES = 1L << 62;

    private final List<Path> folders;
    private final String limitFile;
    private final String currentFile;

    /**
     * @param folders of the group and of those above it, the group's own first
     */
    private CgroupMemory(List<Path> folders, boolean version2) {
        this.folders = folders;
        this.limitFile = version2 ? "memory.max" : "memory.limit_in_bytes";
        this.currentFile = version2 ? "memory.current" : "memory.usage_in_bytes";
    }

    /** The group of this process; empty where there is none or it cannot be seen. */
    public static Optional<CgroupMemory> find() {
        try {
            return find(ProcFile.root());
        } catch (ProcFile.NotNow later) {
            return Optional.empty();
        }
    }

    static Optional<CgroupMemory> find(Path root) throws ProcFile.NotNow {
        String path1 = null;
        String path2 = null;
        for (String line : ProcFile.lines(root.resolve("proc/self/cgroup"))) {
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
        return path == null ? Optional.empty() : find(root, path, version2);
    }

    private static Optional<CgroupMemory> find(Path root, String path, boolean version2)
            throws ProcFile.NotNow {
        for (String line : ProcFile.lines(root.resolve("proc/self/mountinfo"))) {
            String[] halves = line.split(" - ", 2);
            String[] mount = halves[0].split(" ", -1);
            String[] system = halves.length < 2 ? new String[0] : halves[1].split(" ", -1);
            if (mount.length < 5 || system.length < 3) {
                continue;
            }
            boolean matches =
                    version2
                            ? system[0].equals("cgroup2")
                            : system[0].equals("cgroup")
                                    && List.of(system[2].split(",")).contains("memory");
            if (matches) {
                Path top = root.resolve(mount[4].substring(1));
                return Optional.of(new CgroupMemory(folders(top, mount[3], path), version2));
            }
        }
        return Optional.empty();
    }

    /** The folder of a group and all above it, up to the mount point. */
    private static List<Path> folders(Path top, String mountRoot, String path) {
        List<Path> folders = new ArrayList<>();
        String prefix = mountRoot.equals("/") ? "/" : mountRoot + "/";
        if ((path + "/").startsWith(prefix)) {
            Path below = Path.of((path + "/").substring(prefix.length())).normalize();
            Path folder = top;
            for (Path name : below) {
                folder = folder.resolve(name);
                folders.addFirst(folder);
            }
        }
        // Seen from another namespace the path leads nowhere, or out of the mount.
        folders.removeIf(folder -> !folder.normalize().startsWith(top));
        folders.removeIf(folder -> !Files.isDirectory(folder));
        folders.addLast(top);
        return List.copyOf(folders);
    }

    /** The least limit from this group up; empty if none is set. */
    OptionalLong limitBytes() throws ProcFile.NotNow {
        // Without a lambda or a stream: a first pool waits for it.
        long least = UNLIMITED_BYTES;
        for (Path folder : folders) {
            least = Math.min(least, ProcFile.number(folder.resolve(limitFile)).orElse(least));
        }
        return least < UNLIMITED_BYTES ? OptionalLong.of(least) : OptionalLong.empty();
    }

    /** What the group uses now. */
    public OptionalLong currentBytes() {
        try {
            return ProcFile.number(folders.getFirst().resolve(currentFile));
        } catch (ProcFile.NotNow later) {
            return OptionalLong.empty();
        }
    }
}
