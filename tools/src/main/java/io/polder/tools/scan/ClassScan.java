package io.polder.tools.scan;

import io.polder.tools.terminal.Printable;

import org.jspecify.annotations.Nullable;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.ConstantDynamicEntry;
import java.lang.classfile.constantpool.ConstantPool;
import java.lang.classfile.constantpool.DynamicConstantPoolEntry;
import java.lang.classfile.constantpool.InvokeDynamicEntry;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.MethodHandleEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.ConstantInstruction.LoadConstantInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The uses in one class, in the order in which they stand in the class file. */
final class ClassScan {
    private final Set<UseKind> kinds;
    private final List<Use> uses = new ArrayList<>();

    private ClassScan(Set<UseKind> kinds) {
        this.kinds = kinds;
    }

    /**
     * Scans a class file.
     *
     * @param kinds of uses that are looked for
     * @throws IllegalArgumentException if the file is damaged, as far as it is looked at
     */
    static List<Use> of(byte[] file, Set<UseKind> kinds) {
        ClassScan scan = new ClassScan(kinds);
        ClassModel model = ClassFile.of().parse(file);
        if (mayUse(model.constantPool())) {
            scan.scan(model);
        }
        return scan.uses;
    }

    /** Whether a class may have a use: most have not, and need not be looked at any further. */
    private static boolean mayUse(ConstantPool constants) {
        for (PoolEntry constant : constants) {
            if (constant instanceof ClassEntry type
                    && Calls.OWNERS.contains(type.asInternalName())) {
                return true;
            }
        }
        return false;
    }

    private void scan(ClassModel model) {
        String name = Printable.of(model.thisClass().asInternalName().replace('/', '.'));
        String source =
                model.findAttribute(Attributes.sourceFile())
                        .map(attribute -> Printable.of(attribute.sourceFile().stringValue()))
                        .orElse("");
        for (MethodModel method : model.methods()) {
            CodeAttribute code = method.findAttribute(Attributes.code()).orElse(null);
            if (code != null) {
                Place place =
                        new Place(
                                name,
                                Printable.of(method.methodName().stringValue()),
                                Printable.of(method.methodType().stringValue()),
                                source,
                                0);
                new MethodScan(new MethodCode(code), place).scan();
            }
        }
    }

    private final class MethodScan {
        private final MethodCode code;
        private final Place place;
        private final List<Use> found = new ArrayList<>();
        private final List<Integer> indexes = new ArrayList<>();
        private final Map<Integer, UseKind> allocators = new HashMap<>();
        private final Map<Integer, Verdict> verdicts = new HashMap<>();
        private @Nullable Flags flags;

        MethodScan(MethodCode code, Place place) {
            this.code = code;
            this.place = place;
        }

        void scan() {
            for (int i = 0; i < code.size(); i++) {
                follow(i);
            }
            for (int i = 0; i < code.size(); i++) {
                switch (code.instruction(i)) {
                    case InvokeInstruction invoke -> call(invoke.method(), i);
                    case InvokeDynamicInstruction invoke -> site(invoke.invokedynamic(), i);
                    case LoadConstantInstruction load -> constant(load.constantEntry(), i);
                    default -> {
                        // Calls nothing and refers to nothing.
                    }
                }
            }
            if (!found.isEmpty()) {
                uses.addAll(new FinallyCopies(code).without(found, indexes));
            }
        }

        private void add(Use use, int index) {
            found.add(use);
            indexes.add(index);
        }

        private void follow(int index) {
            @Nullable UseKind kind = kindOfCall(code.instruction(index));
            if (kind == null || !UseKind.ALLOCATORS.contains(kind)) {
                return;
            }
            ArenaFlow flow = ArenaFlow.from(code, flags(), index);
            flow.allocations().forEach(allocation -> allocators.put(allocation, kind));
            if (UseKind.CLOSEABLE.contains(kind)) {
                verdicts.put(index, flow.verdict());
            }
        }

        private Flags flags() {
            Flags found = flags;
            if (found == null) {
                found = Flags.of(code);
                flags = found;
            }
            return found;
        }

        private static @Nullable UseKind kindOfCall(Instruction instruction) {
            return instruction instanceof InvokeInstruction invoke
                    ? Calls.kind(invoke.method())
                    : null;
        }

        private void call(MemberRefEntry method, int index) {
            UseKind kind = Calls.kind(method);
            if (kind != null && kinds.contains(kind)) {
                add(
                        new Use(
                                kind,
                                Printable.of(Calls.call(method)),
                                place.at(code.line(index)),
                                verdicts.get(index),
                                allocators.get(index)),
                        index);
            }
        }

        /** What a call site is made of. */
        private void site(InvokeDynamicEntry site, int index) {
            parts(site).forEach(handle -> reference(handle.reference(), index));
        }

        private void constant(LoadableConstantEntry constant, int index) {
            switch (constant) {
                case MethodHandleEntry handle -> reference(handle.reference(), index);
                case ConstantDynamicEntry dynamic ->
                        parts(dynamic).forEach(handle -> reference(handle.reference(), index));
                default -> {
                    // Refers to no method.
                }
            }
        }

        private void reference(MemberRefEntry method, int index) {
            UseKind kind = Calls.kind(method);
            if (kind != null && kinds.contains(kind)) {
                Verdict verdict =
                        UseKind.CLOSEABLE.contains(kind) ? Verdict.escapes(Way.REFERENCE) : null;
                add(
                        new Use(
                                kind,
                                Printable.of(Calls.reference(method)),
                                place.at(code.line(index)),
                                verdict,
                                null),
                        index);
            }
        }
    }

    /**
     * The method handles that a call site or a constant is made of when it is first needed, also by
     * way of other constants that are made. A broken class file has constants that contain each
     * other.
     */
    private static List<MethodHandleEntry> parts(DynamicConstantPoolEntry made) {
        Set<DynamicConstantPoolEntry> seen = new HashSet<>();
        List<MethodHandleEntry> handles = new ArrayList<>();
        Deque<DynamicConstantPoolEntry> ahead = new ArrayDeque<>(List.of(made));
        while (!ahead.isEmpty()) {
            DynamicConstantPoolEntry next = ahead.pop();
            if (seen.add(next)) {
                handles.add(next.bootstrap().bootstrapMethod());
                for (LoadableConstantEntry argument : next.bootstrap().arguments()) {
                    switch (argument) {
                        case MethodHandleEntry handle -> handles.add(handle);
                        case ConstantDynamicEntry dynamic -> ahead.add(dynamic);
                        default -> {
                            // Refers to no method.
                        }
                    }
                }
            }
        }
        return handles;
    }
}
