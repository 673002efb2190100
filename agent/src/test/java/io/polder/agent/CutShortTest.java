package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.agent.Program.Result;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Classes that are loaded where an error cuts short what rewrites them, and later ones. */
class CutShortTest extends ProgramFixture {
    /**
     * On the way back from the end of the stack, loads classes that open arenas, one every few
     * calls: so one of them where so much is left that rewriting begins, and not that it ends.
     */
    private static final String DEEP =
            """
            package example;

            import java.lang.foreign.Arena;

            public class DeepLoading {
                static final int CALLS = 4;
                static final ClassLoader LOADER = DeepLoading.class.getClassLoader();
                static final String[] NAMES = new String[400];
                static int returned;
                static int loaded;

                static class Last {
                    static Arena open() {
                        return Arena.ofConfined();
                    }
                }

                static void descend() {
                    try {
                        descend();
                    } catch (StackOverflowError e) {
                        // Loads classes on its way back.
                    }
                    if (++returned % CALLS == 0 && loaded < NAMES.length) {
                        try {
                            Class.forName(NAMES[loaded++], false, LOADER);
                        } catch (Throwable e) {
                            // There is too little stack even for that.
                        }
                    }
                }

                public static void main(String[] arguments) {
                    for (int i = 0; i < NAMES.length; i++) {
                        NAMES[i] = "example.DeepLoading$C" + i;
                    }
                    try {
                        descend();
                    } catch (StackOverflowError e) {
                        // As expected.
                    }
                    System.out.println("loaded=" + (loaded == NAMES.length));
                    System.out.println(Last.open().getClass().getSimpleName());
                    Runnable spun = () -> System.out.println("a lambda");
                    spun.run();
                }
            """;

    @Test
    void loaded_whereTheStackEnds_laterClassesAreRewritten() throws Exception {
        StringBuilder source = new StringBuilder(DEEP);
        for (int i = 0; i < 400; i++) {
            source.append("static class C").append(i);
            source.append(" { static Object open() { return Arena.ofConfined(); } }\n");
        }
        Program.compile(classes, Program.LIBRARY, source.append("}\n").toString());
        Result result =
                program.run(List.of("-Xint"), "", "-cp", "classes", "example.DeepLoading")
                        .succeeds();
        assertThat(result.lines()).containsExactly("loaded=true", "ConfinedArena", "a lambda");
    }

    /** Defines what the agent would, as if it had been cut short before it could connect that. */
    private static final String BEFORE =
            """
            package example;

            import java.lang.foreign.Arena;
            import java.lang.invoke.MethodHandles;
            import java.lang.reflect.Method;

            public class Before {
                public static void main(String[] arguments) throws Exception {
                    ClassLoader loader = Before.class.getClassLoader();
                    Class<?> bridge =
                            Class.forName("io.polder.agent.bridge.PolderArenas", false, loader);
                    byte[] file = bridge.getResourceAsStream("PolderArenas.class").readAllBytes();
                    Method renamed = Class.forName("io.polder.agent.rewrite.BridgeClasses")
                            .getDeclaredMethod("renamed", byte[].class, Class.class);
                    renamed.setAccessible(true);
                    MethodHandles.privateLookupIn(Arena.class, MethodHandles.lookup())
                            .defineClass((byte[]) renamed.invoke(null, file, bridge));
                    Forms.main(arguments);
                }
            }
            """;

    @Test
    void bridge_definedByWhatWasCutShort_isUsed() throws Exception {
        Program.compile(classes, Program.LIBRARY, Programs.FORMS, BEFORE);
        List<String> opened = List.of("--add-opens", "java.base/java.lang.foreign=ALL-UNNAMED");
        Result result =
                program.run(opened, "pool=both", "-cp", "classes", "example.Before").succeeds();
        assertThat(result.lines()).containsExactly(Programs.FORMS_POOLED);
        assertThat(result.errors()).isEmpty();
    }
}
