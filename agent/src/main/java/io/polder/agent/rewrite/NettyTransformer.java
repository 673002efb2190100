package io.polder.agent.rewrite;

import io.polder.agent.bridge.PolderNetty;
import io.polder.agent.library.StackRoom;

import org.jspecify.annotations.Nullable;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;

/**
 * Makes Netty ask {@link PolderNetty} before it keeps its default allocator: in the initialiser of
 * one class, whatever loads it, before one field is set.
 *
 * <p>A class that is initialised already has chosen; so transforming again changes nothing.
 *
 * <p>Thread-safe. If anything fails the class stays as it is, which is counted.
 */
public final class NettyTransformer implements ClassFileTransformer {
    /** The class of Netty's that chooses. */
    public static final String CHOOSER = "io.netty.buffer.ByteBufUtil";

    private static final String CHOOSER_INTERNAL = CHOOSER.replace('.', '/');
    private static final String FIELD = "DEFAULT_ALLOCATOR";
    private static final ClassDesc ALLOCATOR = ClassDesc.of("io.netty.buffer.ByteBufAllocator");
    private static final MethodTypeDesc REPLACED =
            MethodTypeDesc.of(ConstantDescs.CD_Object, ConstantDescs.CD_Object);

    private final BridgeClasses bridge;
    private final Outcomes outcomes;

    /** Defines what Netty calls when it is first needed. */
    public NettyTransformer(BridgeClasses bridge, Outcomes outcomes) {
        this.bridge = bridge;
        this.outcomes = outcomes;
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable Module module,
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> redefined,
            @Nullable ProtectionDomain domain,
            byte[] classFile) {
        if (loader == null || redefined != null || !CHOOSER_INTERNAL.equals(name)) {
            return null;
        }
        try {
            StackRoom.check();
            ClassDesc asked = bridge.netty();
            byte[] rewritten = rewrite(classFile, asked);
            if (rewritten == null) {
                outcomes.left(CHOOSER, "it has no " + FIELD);
            }
            return rewritten;
        } catch (Throwable e) { // the JVM would drop it without a word
            outcomes.left(CHOOSER, e);
            return null;
        }
    }

    /** The class file that asks; null if it does not set the field. */
    static byte @Nullable [] rewrite(byte[] classFile, ClassDesc asked) {
        // As in Rewriting: frames are copied, since what is called takes and leaves the same.
        ClassFile files =
                ClassFile.of(
                        ClassFile.StackMapsOption.DROP_STACK_MAPS,
                        ClassFile.DeadCodeOption.KEEP_DEAD_CODE);
        ClassModel model = files.parse(classFile);
        Asking asking = new Asking(asked);
        byte[] rewritten =
                files.transformClass(
                        model,
                        (builder, element) -> {
                            if (element instanceof MethodModel method
                                    && method.methodName()
                                            .equalsString(ConstantDescs.CLASS_INIT_NAME)) {
                                asking.code = method.code().orElse(null);
                                builder.transformMethod(
                                        method, MethodTransform.transformingCode(asking));
                            } else {
                                builder.with(element);
                            }
                        });
        return asking.count == 0 ? null : rewritten;
    }

    /** Asks before the field is set. */
    private static final class Asking implements CodeTransform {
        private final ClassDesc asked;
        private @Nullable CodeModel code;
        private int count;

        Asking(ClassDesc asked) {
            this.asked = asked;
        }

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
            if (element instanceof FieldInstruction field
                    && field.opcode() == Opcode.PUTSTATIC
                    && field.name().equalsString(FIELD)
                    && field.typeSymbol().equals(ALLOCATOR)) {
                builder.invokestatic(asked, "allocator", REPLACED).checkcast(ALLOCATOR);
                count++;
            }
            builder.with(element);
        }

        @Override
        public void atEnd(CodeBuilder builder) {
            if (code != null) {
                code.findAttribute(Attributes.stackMapTable()).ifPresent(builder::with);
            }
        }
    }
}
