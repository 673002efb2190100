package io.polder.memory;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** For tests of memory that is moved: skips them where the system cannot do that. */
public final class MovableMemory {

    private MovableMemory() {}

    /** Skips the test if the provider of this process cannot move memory, and need not. */
    public static void assume() {
        String osName = System.getProperty("os.name", "");
        String osArch = System.getProperty("os.arch", "");
        assumeTrue(
                isTested(osName, osArch, Providers.choose().provider().canRemap()),
                () -> "memory cannot be moved on " + osName + " on " + osArch + " as it is here");
    }

    /** On Linux on x86-64 always, so that nothing is skipped there that stopped to work. */
    static boolean isTested(String osName, String osArch, boolean canRemap) {
        return canRemap
                || (osName.equals("Linux") && (osArch.equals("amd64") || osArch.equals("x86_64")));
    }
}
