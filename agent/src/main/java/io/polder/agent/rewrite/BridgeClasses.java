package io.polder.agent.rewrite;

import io.polder.agent.bridge.PolderArenas;
import io.polder.agent.bridge.PolderNetty;
import io.polder.agent.library.AgentJar;
import io.polder.agent.library.OpenedJdk;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The classes that rewritten code calls, in the package of {@link Arena}.
 *
 * <pre>
 *   java.lang.foreign.PolderArenas           a copy of {@link PolderArenas}
 *   java.lang.foreign.PolderCallSite7        for a method reference at call site 7, while counted:
 *                                            a reference has no room for a number
 *   java.lang.foreign.PolderNetty            a copy of {@link PolderNetty}
 * </pre>
 *
 * <p>Thread-safe. Nothing is defined before it is first needed.
 */
public final class BridgeClasses implements Bridge {
    private static final String PACKAGE = Arena.class.getPackageName();
    private static final ClassDesc BRIDGE = ClassDesc.of(PACKAGE, "PolderArenas");
    private static final ClassDesc NETTY = ClassDesc.of(PACKAGE, "PolderNetty");
    private static final MethodTypeDesc COUNTED =
            MethodTypeDesc.of(Uses.ARENA, ConstantDescs.CD_int);

    private final Supplier<OpenedJdk> jdk;
    private final AgentJar jar;
    private final Function<String, MethodHandle> source;

    /** By number: call sites that are not told apart share one. */
    private final Map<Integer, ClassDesc> references = new HashMap<>();

    private boolean defined;
    private boolean nettyDefined;

    /**
     * Defines nothing yet.
     *
     * @param jdk what defines them; asked when it is first needed
     * @param jar where they lie under another name
     * @param source gives the handles behind them, by the names in {@link PolderArenas} and
     *     {@link PolderNetty}
     */
    public BridgeClasses(
            Supplier<OpenedJdk> jdk, AgentJar jar, Function<String, MethodHandle> source) {
        this.jdk = jdk;
        this.jar = jar;
        this.source = source;
    }

    @Override
    public synchronized ClassDesc bridge() {
        if (!defined) {
            define(PolderArenas.class);
            defined = true;
        }
        return BRIDGE;
    }

    /** The class that Netty calls. */
    synchronized ClassDesc netty() {
        if (!nettyDefined) {
            define(PolderNetty.class);
            nettyDefined = true;
        }
        return NETTY;
    }

    private void define(Class<?> bridge) {
        try {
            OpenedJdk opened = jdk.get();
            byte[] classFile = renamed(jar.classFile(bridge.getName()), bridge);
            opened.connect(opened.define(bridge.getSimpleName(), classFile), source);
        } catch (IOException | ReflectiveOperationException | RuntimeException | LinkageError e) {
            throw new IllegalStateException("no class can be defined in " + PACKAGE, e);
        }
    }

    /** The class file of a bridge under its name beside the arenas. */
    static byte[] renamed(byte[] classFile, Class<?> bridge) {
        String old = bridge.getName().replace('.', '/');
        String renamed = PACKAGE.replace('.', '/') + '/' + bridge.getSimpleName();
        return RenamedClass.rename(classFile, old, renamed);
    }

    @Override
    public synchronized ClassDesc reference(CallSite site, int number) {
        bridge();
        return references.computeIfAbsent(number, _ -> define(site, number));
    }

    private ClassDesc define(CallSite site, int number) {
        String simpleName = "PolderCallSite" + number;
        ClassDesc name = ClassDesc.of(PACKAGE, simpleName);
        String method = site.confined() ? Uses.CONFINED : Uses.SHARED;
        try {
            jdk.get().define(simpleName, reference(name, method, number));
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new IllegalStateException("no class can be defined in " + PACKAGE, e);
        }
        return name;
    }

    /** A class whose one method opens an arena for a call site. */
    static byte[] reference(ClassDesc name, String method, int number) {
        return ClassFile.of()
                .build(
                        name,
                        type ->
                                type.withFlags(
                                                ClassFile.ACC_PUBLIC
                                                        | ClassFile.ACC_FINAL
                                                        | ClassFile.ACC_SUPER
                                                        | ClassFile.ACC_SYNTHETIC)
                                        .withMethodBody(
                                                method,
                                                Uses.TYPE,
                                                ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                                                code ->
                                                        code.loadConstant(number)
                                                                .invokestatic(
                                                                        BRIDGE, method, COUNTED)
                                                                .areturn()));
    }
}
