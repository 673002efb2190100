package io.polder.tools.attach;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whose rights a process has, as Linux tells in {@code /proc/PID/status}. The owner of {@code
 * /proc/PID} is another thing: it is root for each process that does not let itself be looked into.
 *
 * @param id of the user
 * @param name of the user, as far as it is known
 */
record Owner(int id, String name) {
    private static final String LINE = "Uid:";

    /** Of a process, by its directory. */
    static Owner of(Path proc) throws IOException {
        Path status = proc.resolve("status");
        for (String line : Files.readAllLines(status, StandardCharsets.ISO_8859_1)) {
            if (line.startsWith(LINE)) {
                // Real, effective, saved, and that of the file system.
                int effective = Integer.parseUnsignedInt(line.split("\\s+", -1)[2]);
                return new Owner(effective, name(proc, effective));
            }
        }
        throw new IOException("no " + LINE + " in " + status);
    }

    private static String name(Path proc, int id) throws IOException {
        return Files.getAttribute(proc, "unix:uid").equals(id)
                ? Files.getOwner(proc).getName()
                : "user " + Integer.toUnsignedString(id);
    }
}
