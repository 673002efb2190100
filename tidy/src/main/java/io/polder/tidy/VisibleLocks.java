package io.polder.tidy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LocalVariable;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Locks that users of the library can hold: monitors of objects whose class, or a type above it, is
 * one that they see. Anyone who synchronizes on such an object would hang threads of others.
 *
 * <p>Which lock a class takes is read from its bytecode: {@code synchronized} methods, and what is
 * on the stack where a monitor is entered, as far as a field, a variable, a call or a class say so.
 * What they do not say counts as visible.
 */
final class VisibleLocks {
    private static final String UNKNOWN = "?";

    /** Instructions looked at: an array, an index, an element, its copy, where that goes. */
    private static final int BEFORE_ENTRY = 5;

    private final JavaClasses classes;
    private final Set<String> exported;
    private final Set<String> found = new TreeSet<>();

    private VisibleLocks(JavaClasses classes, Set<String> exported) {
        this.classes = classes;
        this.exported = exported;
    }

    /**
     * Those that classes take.
     *
     * @param exported the packages that users see
     * @return class, method, and what is locked
     */
    static Set<String> of(JavaClasses classes, Set<String> exported) throws IOException {
        VisibleLocks locks = new VisibleLocks(classes, exported);
        for (JavaClass each : classes) {
            try (InputStream bytes = each.getSource().orElseThrow().getUri().toURL().openStream()) {
                locks.look(ClassFile.of().parse(bytes.readAllBytes()));
            }
        }
        return locks.found;
    }

    private void look(ClassModel model) {
        String name = model.thisClass().asInternalName().replace('/', '.');
        for (MethodModel method : model.methods()) {
            boolean isStatic = method.flags().has(AccessFlag.STATIC);
            if (method.flags().has(AccessFlag.SYNCHRONIZED) && isVisible(name, isStatic)) {
                report(name, method, isStatic ? "its class" : "this");
            }
            method.code().ifPresent(code -> look(name, method, (CodeAttribute) code));
        }
    }

    private void look(String name, MethodModel method, CodeAttribute code) {
        Deque<Instruction> last = new ArrayDeque<>();
        int position = 0;
        for (CodeElement element : code) {
            if (!(element instanceof Instruction instruction)) {
                continue;
            }
            if (instruction instanceof MonitorInstruction
                    && instruction.opcode() == Opcode.MONITORENTER) {
                String locked = locked(name, method, code, last, position);
                boolean ofClass = locked.startsWith("class ");
                if (isVisible(ofClass ? locked.substring(6) : locked, ofClass)) {
                    report(name, method, locked);
                }
            }
            last.addLast(instruction);
            if (last.size() > BEFORE_ENTRY) {
                last.removeFirst();
            }
            position += instruction.sizeInBytes();
        }
    }

    /** What is locked: javac loads it, copies it, stores the copy for the end, and enters. */
    private static String locked(
            String name,
            MethodModel method,
            CodeAttribute code,
            Deque<Instruction> last,
            int position) {
        List<Instruction> before = List.copyOf(last);
        int at = before.size() - 3;
        Instruction loaded = at < 0 ? null : before.get(at);
        if (loaded instanceof ArrayLoadInstruction && at >= 2) {
            return before.get(at - 2) instanceof FieldInstruction array
                    ? name(array.typeSymbol().componentType())
                    : UNKNOWN;
        }
        return switch (loaded) {
            case LoadInstruction load
                    when load.slot() == 0 && !method.flags().has(AccessFlag.STATIC) ->
                    name;
            case LoadInstruction load -> variable(code, load.slot(), position);
            case FieldInstruction field -> name(field.typeSymbol());
            case InvokeInstruction call -> name(call.typeSymbol().returnType());
            case ConstantInstruction constant
                    when constant.constantValue() instanceof ClassDesc type ->
                    "class " + name(type);
            case null, default -> UNKNOWN;
        };
    }

    private static String variable(CodeAttribute code, int slot, int position) {
        List<CodeElement> elements = code.elementList();
        for (CodeElement element : elements) {
            if (element instanceof LocalVariable variable
                    && variable.slot() == slot
                    && code.labelToBci(variable.startScope()) <= position
                    && position < code.labelToBci(variable.endScope())) {
                return name(variable.typeSymbol());
            }
        }
        return UNKNOWN;
    }

    private static String name(ClassDesc type) {
        return type.packageName().isEmpty()
                ? type.displayName()
                : type.packageName() + "." + type.displayName().replace('.', '$');
    }

    /** Whether users can have an object of the type; or, of a class, the class itself. */
    private boolean isVisible(String type, boolean theClass) {
        if (type.equals(UNKNOWN)) {
            return true;
        }
        if (!classes.contain(type)) {
            return type.startsWith("java.lang.foreign.");
        }
        JavaClass known = classes.get(type);
        if (isSeen(known)) {
            return true;
        }
        return !theClass
                && (known.getAllRawInterfaces().stream().anyMatch(this::isSeen)
                        || known.getAllRawSuperclasses().stream().anyMatch(this::isSeen));
    }

    private boolean isSeen(JavaClass type) {
        String in = type.getPackageName();
        return in.equals("java.lang.foreign")
                || (exported.contains(in) && type.getModifiers().contains(JavaModifier.PUBLIC));
    }

    private void report(String name, MethodModel method, String locked) {
        found.add(name + "." + method.methodName().stringValue() + " locks " + locked);
    }
}
