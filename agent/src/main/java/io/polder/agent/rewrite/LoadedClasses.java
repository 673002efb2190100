package io.polder.agent.rewrite;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.ArrayList;
import java.util.List;

/**
 * The classes that were there before the agent, or before the plan changed.
 *
 * <p>To have a class transformed again is costly even where nothing comes of it, so its class file
 * is looked at first, where its loader finds it.
 */
public final class LoadedClasses {
    private final Instrumentation instrumentation;
    private final ArenaTransformer transformer;
    private final Outcomes outcomes;

    /** Of the JVM of the instrumentation. */
    public LoadedClasses(
            Instrumentation instrumentation, ArenaTransformer transformer, Outcomes outcomes) {
        this.instrumentation = instrumentation;
        this.transformer = transformer;
        this.outcomes = outcomes;
    }

    /** Has all classes transformed again that open arenas. */
    public void transformAgain() {
        List<Class<?>> chosen = new ArrayList<>();
        for (Class<?> type : instrumentation.getAllLoadedClasses()) {
            if (!type.isArray()
                    && !type.isHidden()
                    && transformer.admits(type)
                    && instrumentation.isModifiableClass(type)
                    && (outcomes.isRewritten(type.getName()) || mayOpenArenas(type))) {
                chosen.add(type);
            }
        }
        if (!chosen.isEmpty()) {
            transform(chosen);
        }
    }

    /** All at once, since each time stops the program; one by one where that fails. */
    private void transform(List<Class<?>> chosen) {
        try {
            instrumentation.retransformClasses(chosen.toArray(Class<?>[]::new));
        } catch (UnmodifiableClassException | RuntimeException | LinkageError e) {
            if (chosen.size() == 1) {
                outcomes.left(chosen.getFirst().getName(), e.toString());
            } else {
                chosen.forEach(type -> transform(List.of(type)));
            }
        }
    }

    /** Whether the class file names what opens arenas; yes if it cannot be had. */
    private static boolean mayOpenArenas(Class<?> type) {
        String file = "/" + type.getName().replace('.', '/') + ".class";
        try (InputStream in = type.getResourceAsStream(file)) {
            return in == null || ConstantPoolScan.namesArenas(in.readAllBytes());
        } catch (IOException | RuntimeException e) {
            return true;
        }
    }
}
