package io.polder.agent.rewrite;

import io.polder.agent.library.StackRoom;

import org.jspecify.annotations.Nullable;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;

/**
 * Rewrites classes as they are loaded, and those that are there when they are transformed again.
 *
 * <pre>
 *   each class --name--&gt; ClassFilter --bytes--&gt; ConstantPoolScan --few--&gt; Rewriting
 * </pre>
 *
 * <p>The JVM hands in what the class file says, never what was made of it here. So transforming
 * again with another {@linkplain #follow plan} replaces what was done before.
 *
 * <p>Thread-safe. Runs inside class loading: what it needs for classes that do not match is loaded
 * before it is registered. A class for which anything fails stays as it is, and is counted.
 */
public final class ArenaTransformer implements ClassFileTransformer {
    private final ClassFilter filter;
    private final Bridge bridge;
    private final Outcomes outcomes;
    private volatile Plan plan;

    /** Rewrites what the filter admits, as the plan says. */
    public ArenaTransformer(
            ClassFilter filter, BridgeClasses bridge, Plan plan, Outcomes outcomes) {
        this(filter, (Bridge) bridge, plan, outcomes);
    }

    ArenaTransformer(ClassFilter filter, Bridge bridge, Plan plan, Outcomes outcomes) {
        this.filter = filter;
        this.bridge = bridge;
        this.plan = plan;
        this.outcomes = outcomes;
    }

    /** From now on classes are rewritten by this plan. */
    public void follow(Plan plan) {
        this.plan = plan;
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable Module module,
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> redefined,
            @Nullable ProtectionDomain domain,
            byte[] classFile) {
        if (name == null
                || !filter.admits(module, loader, name)
                || !ConstantPoolScan.namesArenas(classFile)) {
            return null;
        }
        return rewrite(name.replace('/', '.'), classFile);
    }

    private byte @Nullable [] rewrite(String name, byte[] classFile) {
        try {
            StackRoom.check();
            Rewriting.Result result = new Rewriting(plan, bridge).rewrite(classFile);
            if (result.serializable > 0) {
                outcomes.left(name, "method references that can be serialised stay as they are");
            }
            if (result.rewritten > 0) {
                outcomes.rewritten(name);
            }
            return result.classFile;
        } catch (Throwable e) { // the JVM would drop it without a word
            outcomes.left(name, e);
            return null;
        }
    }

    /** Whether a loaded class may open arenas, judged by its name and place alone. */
    boolean admits(Class<?> type) {
        return filter.admits(
                type.getModule(), type.getClassLoader(), type.getName().replace('.', '/'));
    }
}
