package io.polder.lab.experiments.elasticity;

import java.lang.classfile.Annotation;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.BootstrapMethodsAttribute;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.constantpool.ConstantPool;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The blocks of memory that a JVM takes for one class, in the order in which it takes them: what
 * the class file is read into, the class itself, and what linking adds. Sizes are those of {@link
 * MetadataModel}.
 */
final class ClassBlocks {
    /** An object's header, before its first field. */
    private static final int OBJECT_HEADER = 12;

    private final ClassModel model;
    private final ClassHierarchy hierarchy;
    private final IntStream.Builder words = IntStream.builder();

    private ClassBlocks(ClassModel model, ClassHierarchy hierarchy) {
        this.model = model;
        this.hierarchy = hierarchy;
    }

    /** Sizes of a class's blocks in bytes, each a multiple of {@link MetadataModel#WORD_BYTES}. */
    static int[] of(ClassModel model, ClassHierarchy hierarchy) {
        ClassBlocks blocks = new ClassBlocks(model, hierarchy);
        blocks.constantPool();
        blocks.interfaces();
        blocks.fields();
        model.methods().forEach(blocks::method);
        blocks.array(model.methods().size(), MetadataModel.POINTER);
        blocks.classAttributes();
        blocks.words.add(
                MetadataModel.classWords(
                        hierarchy.vtable(model),
                        hierarchy.itable(model),
                        hierarchy.oopMaps(model)));
        blocks.constantPoolCache();
        return blocks.words.build().map(count -> count * MetadataModel.WORD_BYTES).toArray();
    }

    private void constantPool() {
        ConstantPool pool = model.constantPool();
        words.add(MetadataModel.constantPool(pool.size()));
        words.add(MetadataModel.array(pool.size(), MetadataModel.U1));
        array(count(PoolEntry.TAG_CLASS), MetadataModel.POINTER);
        model.findAttribute(Attributes.bootstrapMethods())
                .ifPresent(attribute -> array(operands(attribute), MetadataModel.U2));
    }

    /** For each bootstrap method where it begins, in two halves, itself and its arguments. */
    private static int operands(BootstrapMethodsAttribute attribute) {
        return attribute.bootstrapMethods().stream()
                .mapToInt(method -> 2 + 2 + method.arguments().size())
                .sum();
    }

    /** The interfaces named and those that they bring along; one array if these are the same. */
    private void interfaces() {
        int local = model.interfaces().size();
        int transitive = hierarchy.transitiveInterfaces(model);
        array(local, MetadataModel.POINTER);
        if (local > 0 && transitive > local) {
            array(transitive, MetadataModel.POINTER);
        }
    }

    /** Names, types, places and flags of all fields in one packed stream, and a byte for each. */
    private void fields() {
        List<FieldModel> fields = model.fields();
        if (fields.isEmpty()) {
            return;
        }
        int bytes = 2 * MetadataModel.packed(fields.size());
        int offset = OBJECT_HEADER;
        for (FieldModel field : fields) {
            bytes += MetadataModel.packed(field.fieldName().index());
            bytes += MetadataModel.packed(field.fieldType().index());
            bytes += MetadataModel.packed(offset);
            bytes += MetadataModel.packed(field.flags().flagsMask()) + 1;
            bytes += field.findAttribute(Attributes.constantValue()).isPresent() ? 2 : 0;
            bytes += field.findAttribute(Attributes.signature()).isPresent() ? 2 : 0;
            offset += MetadataModel.WORD_BYTES;
            annotations(field);
        }
        array(bytes, MetadataModel.U1);
        array(fields.size(), MetadataModel.U1);
    }

    private void method(MethodModel method) {
        Optional<CodeAttribute> code = method.findAttribute(Attributes.code());
        int bytes = annotations(method) * MetadataModel.POINTER;
        bytes += table(checkedExceptions(method), MetadataModel.CHECKED_EXCEPTION);
        bytes += table(parameters(method), MetadataModel.METHOD_PARAMETER);
        bytes += method.findAttribute(Attributes.signature()).isPresent() ? MetadataModel.U2 : 0;
        if (code.isPresent()) {
            bytes += codeBytes(code.get());
            code.get()
                    .findAttribute(Attributes.stackMapTable())
                    .ifPresent(table -> array(AttributeBytes.stackMap(table), MetadataModel.U1));
        }
        words.add(MetadataModel.constantMethod(bytes));
        words.add(MetadataModel.method(method.flags().has(AccessFlag.NATIVE)));
    }

    private static int codeBytes(CodeAttribute code) {
        int locals =
                code.findAttributes(Attributes.localVariableTable()).stream()
                        .mapToInt(table -> table.localVariables().size())
                        .sum();
        return code.codeLength()
                + AttributeBytes.lineNumbers(code.findAttributes(Attributes.lineNumberTable()))
                + table(code.exceptionHandlers().size(), MetadataModel.EXCEPTION_HANDLER)
                + table(locals, MetadataModel.LOCAL_VARIABLE);
    }

    private static int checkedExceptions(MethodModel method) {
        return method.findAttribute(Attributes.exceptions())
                .map(attribute -> attribute.exceptions().size())
                .orElse(0);
    }

    private static int parameters(MethodModel method) {
        return method.findAttribute(Attributes.methodParameters())
                .map(attribute -> attribute.parameters().size())
                .orElse(0);
    }

    /** Arrays for the annotations of a class, field or method; how many there are. */
    private int annotations(AttributedElement element) {
        List<Integer> lengths = new ArrayList<>();
        element.findAttribute(Attributes.runtimeVisibleAnnotations())
                .map(attribute -> length(attribute.annotations()))
                .ifPresent(lengths::add);
        element.findAttribute(Attributes.annotationDefault())
                .map(attribute -> AttributeBytes.value(attribute.defaultValue()))
                .ifPresent(lengths::add);
        lengths.forEach(length -> array(length, MetadataModel.U1));
        return lengths.size();
    }

    private static int length(List<Annotation> annotations) {
        return AttributeBytes.annotations(annotations);
    }

    private void classAttributes() {
        int inner =
                model.findAttribute(Attributes.innerClasses())
                        .map(attribute -> attribute.classes().size())
                        .orElse(0);
        boolean enclosed = model.findAttribute(Attributes.enclosingMethod()).isPresent();
        array(4 * inner + (enclosed ? 2 : 0), MetadataModel.U2);
        model.findAttribute(Attributes.nestMembers())
                .ifPresent(nest -> array(nest.nestMembers().size(), MetadataModel.U2));
        model.findAttribute(Attributes.permittedSubclasses())
                .ifPresent(
                        subclasses ->
                                array(subclasses.permittedSubclasses().size(), MetadataModel.U2));
        model.findAttribute(Attributes.record())
                .ifPresent(
                        components -> {
                            components
                                    .components()
                                    .forEach(_ -> words.add(MetadataModel.RECORD_COMPONENT_WORDS));
                            array(components.components().size(), MetadataModel.POINTER);
                        });
        if (annotations(model) > 0) {
            words.add(MetadataModel.ANNOTATIONS_WORDS);
        }
    }

    private void constantPoolCache() {
        int fields = count(PoolEntry.TAG_FIELDREF);
        int methods = count(PoolEntry.TAG_METHODREF) + count(PoolEntry.TAG_INTERFACE_METHODREF);
        int callSites = count(PoolEntry.TAG_INVOKE_DYNAMIC);
        if (fields + methods + callSites > 0) {
            array(fields, MetadataModel.RESOLVED_FIELD);
            array(methods, MetadataModel.RESOLVED_METHOD);
            array(callSites, MetadataModel.RESOLVED_CALL_SITE);
            words.add(MetadataModel.CONSTANT_POOL_CACHE_WORDS);
        }
    }

    private int count(int tag) {
        int count = 0;
        for (PoolEntry entry : model.constantPool()) {
            count += entry.tag() == tag ? 1 : 0;
        }
        return count;
    }

    private static int table(int count, int elementBytes) {
        return count == 0 ? 0 : MetadataModel.TABLE_LENGTH + count * elementBytes;
    }

    /** Empty arrays are shared by all classes and take no memory. */
    private void array(int count, int elementBytes) {
        if (count > 0) {
            words.add(MetadataModel.array(count, elementBytes));
        }
    }
}
