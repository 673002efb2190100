package io.polder.agent.rewrite;

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

    /** Transforms all classes again that open arenas. */
    public void transformAgain() {
        List<Class<?>> chosen = new ArrayList<>();
        for (Class<?> type : instrumentation.getAllLoadedClasses()) {
            if (!type.isArray()
                    && !type.isHidden()
                    && transformer.admits(type)
                    && instrumentation.isModifiableClass(type)
                    && (outcomes.mayBeRewritten(type.getName()) || mayOpenArenas(type))) {
                chosen.add(type);
            }
        }
        if (!chosen.isEmpty()) {
            transform(chosen);
        }
    }

    /**
     * All at once, since each time stops the program; by halves where that fails, until the classes
     * are alone for which it does. One that cannot be linked, as it needs a class that is not
     * there, is an {@link InternalError} for all.
     */
    private void transform(List<Class<?>> chosen) {
        try {
            instrumentation.retransformClasses(chosen.toArray(Class<?>[]::new));
        } catch (UnmodifiableClassException
                | RuntimeException
                | LinkageError
                | VirtualMachineError e) {
            int count = chosen.size();
            if (count == 1) {
                outcomes.left(chosen.getFirst().getName(), e.toString());
            } else {
                transform(chosen.subList(0, count / 2));
                transform(chosen.subList(count / 2, count));
            }
        }
    }

    /**
     * Whether the class file names what opens arenas; yes if it cannot be had. It is asked of the
     * program's loader, which may throw what it likes.
     */
    private static boolean mayOpenArenas(Class<?> type) {
        String file = "/" + type.getName().replace('.', '/') + ".class";
        try (InputStream in = type.getResourceAsStream(file)) {
            return in == null || ConstantPoolScan.namesArenas(in.readAllBytes());
        } catch (Throwable e) {
            return true;
        }
    }
}
