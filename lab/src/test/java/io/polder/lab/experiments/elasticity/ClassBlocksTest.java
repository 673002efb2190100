package io.polder.lab.experiments.elasticity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Blocks and tables of classes that are made here, so that every number is known. */
class ClassBlocksTest {
    private static final MethodTypeDesc VOID = ConstantDescs.MTD_void;

    private final Map<String, ClassModel> classes = new HashMap<>();
    private final ClassHierarchy hierarchy = new ClassHierarchy(this::named);

    @Test
    void of_anInterfaceWithOneMethod_listsEachBlock() {
        ClassModel model =
                define(
                        "One",
                        builder ->
                                builder.withFlags(ClassFile.ACC_INTERFACE | ClassFile.ACC_ABSTRACT)
                                        .withMethod("run", VOID, publicAbstract(), _ -> {}));
        int slots = model.constantPool().size();

        assertThat(words(model))
                .containsExactly(
                        MetadataModel.constantPool(slots),
                        MetadataModel.array(slots, MetadataModel.U1),
                        // This class and its superclass.
                        MetadataModel.array(2, MetadataModel.POINTER),
                        MetadataModel.constantMethod(0),
                        MetadataModel.method(false),
                        MetadataModel.array(1, MetadataModel.POINTER),
                        // Nothing virtual above it here; the end of the itable.
                        MetadataModel.classWords(0, 2, 0));
    }

    @Test
    void of_aMethodWithCode_countsItsBytes() {
        ClassModel model =
                define(
                        "Code",
                        builder ->
                                builder.withMethodBody(
                                        "twice",
                                        VOID,
                                        ClassFile.ACC_STATIC,
                                        code -> code.nop().nop().nop().return_()));

        assertThat(words(model))
                .contains(MetadataModel.constantMethod(4), MetadataModel.method(false));
    }

    @Test
    void of_aClassWithFields_hasAPackedStream() {
        ClassModel model =
                define(
                        "Fields",
                        builder ->
                                builder.withField("a", ConstantDescs.CD_int, 0)
                                        .withField("b", ConstantDescs.CD_Object, 0));

        // Two counts, five bytes a field; one byte a field.
        assertThat(words(model))
                .containsSequence(
                        MetadataModel.array(12, MetadataModel.U1),
                        MetadataModel.array(2, MetadataModel.U1));
        assertThat(hierarchy.oopMaps(model)).isEqualTo(1);
    }

    @Test
    void vtable_growsByWhatIsNew() {
        ClassModel base =
                define(
                        "Base",
                        builder ->
                                builder.withMethod("a", VOID, publicAbstract(), _ -> {})
                                        .withMethod("b", VOID, publicAbstract(), _ -> {}));
        ClassModel derived =
                define(
                        "Derived",
                        builder ->
                                builder.withSuperclass(ClassDesc.of("Base"))
                                        .withMethod("a", VOID, publicAbstract(), _ -> {})
                                        .withMethod("c", VOID, publicAbstract(), _ -> {})
                                        .withMethodBody(
                                                "d", VOID, ClassFile.ACC_PRIVATE, c -> c.return_())
                                        .withMethodBody(
                                                "e", VOID, ClassFile.ACC_STATIC, c -> c.return_())
                                        .withMethodBody(
                                                "f", VOID, ClassFile.ACC_FINAL, c -> c.return_()));

        assertThat(hierarchy.vtable(base)).isEqualTo(2);
        assertThat(hierarchy.vtable(derived)).isEqualTo(3);
    }

    @Test
    void itable_hasAllInterfacesThatHaveMethods() {
        Consumer<ClassBuilder> isInterface =
                builder -> builder.withFlags(ClassFile.ACC_INTERFACE | ClassFile.ACC_ABSTRACT);
        define("Marker", isInterface);
        define(
                "Upper",
                isInterface.andThen(
                        builder -> builder.withMethod("a", VOID, publicAbstract(), _ -> {})));
        define(
                "Lower",
                isInterface.andThen(
                        builder ->
                                builder.withInterfaceSymbols(
                                                ClassDesc.of("Upper"), ClassDesc.of("Marker"))
                                        .withMethod("b", VOID, publicAbstract(), _ -> {})
                                        .withMethod("c", VOID, publicAbstract(), _ -> {})));
        ClassModel model =
                define(
                        "Implementing",
                        builder -> builder.withInterfaceSymbols(ClassDesc.of("Lower")));

        assertThat(hierarchy.transitiveInterfaces(model)).isEqualTo(3);
        // An end; Upper with one method; Lower with two; Marker has none.
        assertThat(hierarchy.itable(model)).isEqualTo(2 + (2 + 1) + (2 + 2));
        // One array for what it names, one for what that brings along.
        assertThat(words(model))
                .containsSequence(
                        MetadataModel.array(1, MetadataModel.POINTER),
                        MetadataModel.array(3, MetadataModel.POINTER));
    }

    @Test
    void of_classesOfTheJdk_areSmallBlocksAndAFewLargeOnes() throws Exception {
        long seed = System.nanoTime();
        JdkImage image = JdkImage.open();
        ClassHierarchy ofImage = new ClassHierarchy(image::named);
        List<String> names = image.draw(300, new SplittableRandom(seed));

        int[] sizes =
                names.stream()
                        .map(name -> ClassBlocks.of(image.named(name), ofImage))
                        .flatMapToInt(Arrays::stream)
                        .sorted()
                        .toArray();

        assertThat(Arrays.stream(sizes))
                .as("seed=%d", seed)
                .allMatch(size -> size > 0 && size % MetadataModel.WORD_BYTES == 0);
        // As in logs of real JVMs: the middle one is a method, one in ten is above 30 words.
        assertThat(sizes[sizes.length / 2]).as("seed=%d", seed).isBetween(9 * 8, 14 * 8);
        assertThat(sizes[sizes.length * 9 / 10]).as("seed=%d", seed).isBetween(20 * 8, 80 * 8);
        assertThat(ofImage.vtable(image.named("java/lang/Object"))).isEqualTo(5);
    }

    private int[] words(ClassModel model) {
        return Arrays.stream(ClassBlocks.of(model, hierarchy))
                .map(bytes -> bytes / MetadataModel.WORD_BYTES)
                .toArray();
    }

    /** Classes here have Object above them, but it has no methods. */
    private ClassModel named(String name) {
        return classes.computeIfAbsent(
                name, missing -> ClassFile.of().parse(build(missing, _ -> {})));
    }

    private ClassModel define(String name, Consumer<ClassBuilder> content) {
        ClassModel model = ClassFile.of().parse(build(name, content));
        classes.put(name, model);
        return model;
    }

    private static byte[] build(String name, Consumer<ClassBuilder> content) {
        ClassDesc desc = ClassDesc.ofInternalName(name);
        return ClassFile.of()
                .build(
                        desc,
                        builder -> {
                            if (desc.equals(ConstantDescs.CD_Object)) {
                                builder.withFlags(ClassFile.ACC_PUBLIC);
                            }
                            content.accept(builder);
                        });
    }

    private static int publicAbstract() {
        return ClassFile.ACC_PUBLIC | ClassFile.ACC_ABSTRACT;
    }
}
