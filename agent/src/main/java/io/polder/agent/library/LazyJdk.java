package io.polder.agent.library;

import org.jspecify.annotations.Nullable;

import java.lang.instrument.Instrumentation;
import java.util.function.Supplier;

/** Opens the JDK when that is first needed, once. Thread-safe; takes no other lock inside. */
public final class LazyJdk implements Supplier<OpenedJdk> {
    private final Instrumentation instrumentation;
    private final AgentJar jar;
    private @Nullable OpenedJdk jdk;

    /** Opens nothing yet. */
    public LazyJdk(Instrumentation instrumentation, AgentJar jar) {
        this.instrumentation = instrumentation;
        this.jar = jar;
    }

    @Override
    public synchronized OpenedJdk get() {
        OpenedJdk opened = jdk;
        if (opened == null) {
            opened = OpenedJdk.open(instrumentation, jar);
            jdk = opened;
        }
        return opened;
    }
}
