package io.polder.agent.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.agent.bridge.PolderArenas;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LocalVariable;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Rewritten class files: they verify, and nothing else of them changed. */
class RewritingTest {
    /** Frames of all kinds around calls that open arenas. */
    private static final String BRANCHES =
            """
            import java.lang.foreign.Arena;
            import java.util.function.Supplier;
            class Branches {
                static Object field;
                static long all(int n, Object other) {
                    long sum = 0;
                    for (int i = 0; i < n; i++) {
                        Object either = i % 2 == 0 ? Arena.ofConfined() : other;
                        switch (i % 5) {
                            case 0 -> sum += either.hashCode();
                            case 1 -> field = (Supplier<Arena>) Arena::ofShared;
                            case 2 -> {
                                try (Arena a = Arena.ofConfined(); Arena b = Arena.ofShared()) {
                                    sum += a.allocate(8).address() + b.allocate(8).address();
                                } catch (IllegalStateException | OutOfMemoryError e) {
                                    sum -= 1;
                                } finally {
                                    sum *= 3;
                                }
                            }
                            default -> {
                                synchronized (Branches.class) {
                                    String text = either instanceof Arena a ? "a" + a : null;
                                    sum += text == null ? 0L : text.length();
                                }
                            }
                        }
                    }
                    return n > 5 ? sum + all(n - 1, (Supplier<Arena>) Arena::ofConfined) : sum;
                }
                int untouched(int[] values) {
                    int sum = 0;
                    for (int value : values) {
                        sum += value > 3 ? value : -value;
                    }
                    return sum;
                }
            }
            """;

    private static final Plan POOLED = new Plan(true, true, null);

    @Test
    void pooled_branches_verifyAndCallTheBridge() {
        Rewriting.Result result = rewrite(POOLED, branches());
        ClassModel model = verified(result);
        assertThat(result.rewritten).isEqualTo(5);
        assertThat(owners(model, "ofConfined")).containsOnly("java/lang/foreign/PolderArenas");
        assertThat(owners(model, "ofShared")).containsOnly("java/lang/foreign/PolderArenas");
    }

    @Test
    void counted_branches_verifyAndNumberTheirLines() {
        List<CallSite> sites = new ArrayList<>();
        CallSites numbers =
                site -> {
                    sites.add(site);
                    return sites.size() * 1000;
                };
        RecordingBridge bridge = new RecordingBridge();
        Rewriting.Result result =
                new Rewriting(new Plan(false, false, numbers), bridge).rewrite(branches());
        verified(result);
        assertThat(result.rewritten).isEqualTo(5);
        assertThat(sites)
                .containsExactly(
                        new CallSite("Branches", "all", 8, true, "Branches.java"),
                        new CallSite("Branches", "all", 11, false, "Branches.java"),
                        new CallSite("Branches", "all", 13, true, "Branches.java"),
                        new CallSite("Branches", "all", 13, false, "Branches.java"),
                        new CallSite("Branches", "all", 29, true, "Branches.java"));
        assertThat(bridge.references).extracting(CallSite::line).containsExactly(11, 29);
    }

    @Test
    void rewritten_otherMethods_areTheSameByteForByte() {
        byte[] before = branches();
        byte[] after = Objects.requireNonNull(rewrite(POOLED, before).classFile);
        assertThat(code(after, "untouched")).isEqualTo(code(before, "untouched"));
        assertThat(code(after, "all"))
                .isNotEqualTo(code(before, "all"))
                .hasSameSizeAs(code(before, "all"));
    }

    @Test
    void rewritten_again_staysAsItIs() {
        byte[] once = Objects.requireNonNull(rewrite(POOLED, branches()).classFile);
        Rewriting.Result twice = rewrite(POOLED, once);
        assertThat(twice.rewritten).isZero();
        assertThat(twice.classFile).isNull();
    }

    @Test
    void plan_confinedOnly_leavesShared() {
        Rewriting.Result result = rewrite(new Plan(true, false, null), branches());
        ClassModel model = verified(result);
        assertThat(result.rewritten).isEqualTo(3);
        assertThat(owners(model, "ofShared")).containsOnly("java/lang/foreign/Arena");
    }

    @ParameterizedTest
    @ValueSource(strings = {"8", "11", "17", "21", "25"})
    void release_older_isRewrittenToo(String release) {
        // Sources for old releases do not know Arena: the class file's version is changed instead.
        byte[] bytes = calls();
        bytes[7] = (byte) (44 + Integer.parseInt(release));
        Rewriting.Result result = rewrite(POOLED, bytes);
        assertThat(result.rewritten).isEqualTo(1);
        assertThat(ClassFile.of().parse(Objects.requireNonNull(result.classFile)).majorVersion())
                .isEqualTo(44 + Integer.parseInt(release));
    }

    @Test
    void serializableReference_isLeft() {
        byte[] bytes =
                only(
                        """
                        class Only {
                            interface S extends java.util.function.Supplier<Object>,
                                    java.io.Serializable {}
                            static final S S1 = java.lang.foreign.Arena::ofConfined;
                        }
                        """);
        Rewriting.Result result = rewrite(POOLED, bytes);
        // Where it is made, and where it is made again from its serial form.
        assertThat(result.serializable).isEqualTo(2);
        assertThat(result.rewritten).isZero();
    }

    @Test
    void sameNames_ofOtherClasses_areLeft() {
        byte[] bytes =
                only(
                        """
                        class Only {
                            static class Arena {
                                static Object ofConfined() { return "ofConfined"; }
                            }
                            String arena = "java/lang/foreign/Arena";
                            Object open() { return Arena.ofConfined(); }
                        }
                        """);
        assertThat(ConstantPoolScan.namesArenas(bytes)).isTrue();
        assertThat(rewrite(POOLED, bytes).classFile).isNull();
    }

    /** As compilers with ASM leave it: nops that nobody reaches, and the name of a variable. */
    @Test
    void variableOfDeadCode_hasNoNameBeyondTheRoomForVariables() {
        byte[] bytes =
                ClassFile.of()
                        .build(
                                ClassDesc.of("Dead"),
                                type ->
                                        type.withMethodBody(
                                                "open",
                                                Uses.TYPE,
                                                ClassFile.ACC_STATIC,
                                                RewritingTest::openAndGoOn));
        CodeAttribute code =
                verified(rewrite(POOLED, bytes))
                        .methods()
                        .getFirst()
                        .findAttribute(Attributes.code())
                        .orElseThrow();
        assertThat(code.maxLocals()).isEqualTo(1);
        List<String> names = new ArrayList<>();
        code.forEach(
                element -> {
                    if (element instanceof LocalVariable variable) {
                        names.add(variable.name().stringValue());
                    }
                });
        assertThat(names).containsExactly("arena");
    }

    private static void openAndGoOn(CodeBuilder code) {
        code.invokestatic(Uses.ARENA, "ofConfined", Uses.TYPE, true).astore(0);
        Label opened = code.newBoundLabel();
        code.aload(0).areturn();
        Label dead = code.newBoundLabel();
        code.nop().nop();
        code.localVariable(0, "arena", Uses.ARENA, opened, code.endLabel());
        code.localVariable(1, "never", ConstantDescs.CD_int, dead, code.endLabel());
    }

    private static byte[] branches() {
        return only("Branches", BRANCHES);
    }

    private static byte[] calls() {
        return only(
                """
                class Only {
                    static Object open() { return java.lang.foreign.Arena.ofConfined(); }
                }
                """);
    }

    private static byte[] only(String source) {
        return only("Only", source);
    }

    private static byte[] only(String name, String source) {
        Map<String, byte[]> classes = Sources.compile(name, source, "-g", "-Xlint:none");
        return Objects.requireNonNull(classes.get(name)).clone();
    }

    private static Rewriting.Result rewrite(Plan plan, byte[] classFile) {
        return new Rewriting(plan, new RecordingBridge()).rewrite(classFile);
    }

    /** What the JVM's verifier would say; it finds a broken frame, as a canary shows. */
    private static ClassModel verified(Rewriting.Result result) {
        byte[] bytes = Objects.requireNonNull(result.classFile);
        assertThat(verify(bytes)).isEmpty();
        return ClassFile.of().parse(bytes);
    }

    private static List<VerifyError> verify(byte[] bytes) {
        ClassHierarchyResolver own =
                ClassHierarchyResolver.of(List.of(RecordingBridge.BRIDGE), Map.of());
        return ClassFile.of(
                        ClassFile.ClassHierarchyResolverOption.of(
                                ClassHierarchyResolver.defaultResolver().orElse(own)))
                .verify(bytes);
    }

    @Test
    void verify_canary_findsFramesThatAreMissing() {
        ClassFile files = ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS);
        byte[] broken =
                files.transformClass(
                        files.parse(branches()),
                        (builder, element) -> {
                            if (element instanceof MethodModel method) {
                                builder.transformMethod(
                                        method,
                                        java.lang.classfile.MethodTransform.transformingCode(
                                                (code, instruction) -> {
                                                    code.with(instruction);
                                                    code.nop();
                                                }));
                            } else {
                                builder.with(element);
                            }
                        });
        assertThat(verify(broken)).isNotEmpty();
    }

    private static List<String> owners(ClassModel model, String name) {
        List<String> owners = new ArrayList<>();
        for (MethodModel method : model.methods()) {
            CodeModel code = method.code().orElse(null);
            if (code != null) {
                code.forEach(
                        element -> {
                            if (element instanceof InvokeInstruction call
                                    && call.name().equalsString(name)) {
                                owners.add(call.owner().asInternalName());
                            }
                        });
            }
        }
        return owners;
    }

    private static byte @Nullable [] code(byte[] classFile, String name) {
        for (MethodModel method : ClassFile.of().parse(classFile).methods()) {
            if (method.methodName().equalsString(name)) {
                return method.findAttribute(Attributes.code()).orElseThrow().codeArray();
            }
        }
        return null;
    }

    private static byte[] bridge(String name) throws IOException {
        try (InputStream in = PolderArenas.class.getResourceAsStream(name + ".class")) {
            return BridgeClasses.renamed(
                    Objects.requireNonNull(in).readAllBytes(), PolderArenas.class);
        }
    }

    /** The names that the bridge's class is known by. */
    @Test
    void bridge_renamed_isWhatRewrittenCodeCalls() throws Exception {
        ClassModel model = ClassFile.of().parse(bridge("PolderArenas"));
        assertThat(model.thisClass().asSymbol()).isEqualTo(RecordingBridge.BRIDGE);
        assertThat(verify(bridge("PolderArenas"))).isEmpty();
        ClassDesc site = ClassDesc.of("java.lang.foreign.PolderCallSite0");
        assertThat(verify(BridgeClasses.reference(site, "ofShared", 70_000))).isEmpty();
    }
}
