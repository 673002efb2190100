package io.polder.memory;

import org.jspecify.annotations.Nullable;

/**
 * Chooses the {@link MemoryProvider} of the process.
 *
 * <p>The rule: Linux on x86-64 or aarch64, with native access for the module of this class, gets
 * the Linux provider; everything else gets the plain one, and so does who sets {@link #PROPERTY}
 * to {@code plain}; another value changes nothing, and is {@linkplain #complaint complained} of.
 * Choosing links nothing and makes no
 * system call: a program that opens no arena pays for none.
 *
 * <p><b>Native access.</b> {@link Module#isNativeAccessEnabled} cannot tell "allowed, with a
 * warning" from "denied": it is {@code false} in both cases until the first restricted call. So
 * {@link NativeAccess#isAllowed} makes a restricted call that does nothing:
 *
 * <table>
 * <caption>What the flags of the JVM lead to</caption>
 * <tr><th>flags</th><th>provider</th><th>the JVM warns</th></tr>
 * <tr><td>{@code --enable-native-access} names the module</td><td>linux</td><td>no</td></tr>
 * <tr><td>none, or {@code --illegal-native-access=warn}</td><td>linux</td><td>once</td></tr>
 * <tr><td>{@code --illegal-native-access=allow}</td><td>linux</td><td>no</td></tr>
 * <tr><td>{@code --illegal-native-access=deny} alone</td><td>plain</td><td>no</td></tr>
 * </table>
 */
public final class Providers {

    /**
     * Set to {@code plain}, it has Linux use the plain provider, as other systems do: memory comes
     * from the JDK, and no system call is made.
     */
    public static final String PROPERTY = "polder.provider";

    private static final String PLAIN = "plain";

    /** No constant, because its initialiser could be cut short for good. */
    private static @Nullable ProviderChoice chosen;

    private Providers() {}

    /**
     * The choice for this process: made at the first call, the same ever after. Never fails but
     * with an error of the JVM's; the next call tries again then. Threads may race.
     */
    public static synchronized ProviderChoice choose() {
        ProviderChoice choice = chosen;
        if (choice == null) {
            choice =
                    choose(
                            System.getProperty("os.name", ""),
                            System.getProperty("os.arch", ""),
                            System.getProperty(PROPERTY, ""));
            chosen = choice;
        }
        return choice;
    }

    /** What is wrong with what the user set; null if nothing is. */
    public static @Nullable String complaint() {
        return complaint(System.getProperty(PROPERTY, ""));
    }

    static @Nullable String complaint(String wanted) {
        return wanted.isEmpty() || wanted.equals(PLAIN)
                ? null
                : Message.of(
                        "% must be %, if it is set: value=%; the provider of this system is used",
                        PROPERTY, PLAIN, wanted);
    }

    /** A new plain provider, for callers who want no system call. */
    public static MemoryProvider plain() {
        return new PlainMemoryProvider();
    }

    /** Applies the rule to a system of this name and architecture, and what the user set. */
    static ProviderChoice choose(String osName, String osArch, String wanted) {
        String system = String.join(" on ", osName, osArch);
        if (!NativeAccess.isAllowed()) {
            return new ProviderChoice(plain(), false, deniedReason(Providers.class.getModule()));
        }
        if (wanted.equals(PLAIN)) {
            return new ProviderChoice(plain(), true, "-Dpolder.provider=plain");
        }
        if (!hasLinuxCalls(osName, osArch)) {
            return new ProviderChoice(plain(), true, system + " has no provider of its own");
        }
        return new ProviderChoice(
                LinuxMemoryProvider.create(new LinuxCalls()),
                true,
                system.concat(", native access"));
    }

    /**
     * Whether {@link LinuxCalls} are those of a system of this name and architecture: one whose
     * numbers stand in {@link LinuxConstants}.
     */
    static boolean hasLinuxCalls(String osName, String osArch) {
        return osName.equals("Linux")
                && (osArch.equals("amd64") || osArch.equals("x86_64") || osArch.equals("aarch64"));
    }

    private static String deniedReason(Module module) {
        String name = module.isNamed() ? module.getName() : "ALL-UNNAMED";
        return "native access is denied: start Java with --enable-native-access=" + name;
    }
}
