package io.polder.stress.everywhere;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Puts calls of {@link Throwing} into a class file.
 *
 * <pre>
 *   method begins                            invokestatic Throwing.entry
 *
 *   new, newarray, anewarray,                the same instruction
 *   multianewarray, invokedynamic,           invokestatic Throwing.allocation
 *   valueOf of a box
 *
 *   call of the JDK that allocates           invokestatic Throwing.allocation
 *                                            the call
 * </pre>
 *
 * <p>To throw just after an object was made, which nobody has seen, is the same as to throw in its
 * stead; and so frames that name the place of a {@code new} stay true. What the calls take and
 * leave is nothing, so all stack map frames are copied. A constructor begins before it calls that
 * of its superclass. Class initialisers stay as they are: a class whose initialiser fails is dead,
 * and all are initialised before anything is thrown.
 */
final class Instrumentation {
    private static final ClassDesc THROWING = ClassDesc.of("io.polder.stress.everywhere.Throwing");
    private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);

    private static final ClassFile FILES =
            ClassFile.of(
                    ClassFile.StackMapsOption.DROP_STACK_MAPS, // copied instead
                    ClassFile.DeadCodeOption.KEEP_DEAD_CODE);

    private Instrumentation() {}

    /** Instruments a class file. */
    static byte[] of(byte[] classFile) {
        ClassModel model = FILES.parse(classFile);
        return FILES.transformClass(
                model,
                (builder, element) -> {
                    if (element instanceof MethodModel method && isCounted(method)) {
                        CodeModel code = method.code().orElseThrow();
                        builder.transformMethod(
                                method, MethodTransform.transformingCode(new Points(code)));
                    } else {
                        builder.with(element);
                    }
                });
    }

    private static boolean isCounted(MethodModel method) {
        return method.code().isPresent()
                && !method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME);
    }

    /** The points of one method. */
    private record Points(CodeModel code) implements CodeTransform {
        @Override
        public void atStart(CodeBuilder builder) {
            builder.invokestatic(THROWING, "entry", NOTHING);
        }

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
            if (element instanceof InvokeInstruction call && JdkAllocations.contain(call)) {
                builder.invokestatic(THROWING, "allocation", NOTHING);
            }
            builder.with(element);
            if (allocates(element)) {
                builder.invokestatic(THROWING, "allocation", NOTHING);
            }
        }

        private static boolean allocates(CodeElement element) {
            return switch (element) {
                case NewObjectInstruction _,
                        NewPrimitiveArrayInstruction _,
                        NewReferenceArrayInstruction _,
                        NewMultiArrayInstruction _,
                        InvokeDynamicInstruction _ ->
                        true;
                case InvokeInstruction call -> JdkAllocations.isBoxing(call);
                default -> false;
            };
        }

        @Override
        public void atEnd(CodeBuilder builder) {
            code.findAttribute(Attributes.stackMapTable()).ifPresent(builder::with);
        }
    }
}
