package io.polder.agent.rewrite;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ConstantInstruction.LoadConstantInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LocalVariable;
import java.lang.classfile.instruction.LocalVariableType;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.List;

/**
 * Rewrites the code of one method.
 *
 * <pre>
 *   invokestatic Arena.ofConfined()          invokestatic PolderArenas.ofConfined()
 *                                  counted:  sipush 7; invokestatic PolderArenas.ofConfined(int)
 *   handle       Arena::ofConfined           handle       PolderArenas::ofConfined
 *                                  counted:  handle       PolderCallSite7::ofConfined
 * </pre>
 *
 * <p>Handles are arguments of dynamic calls, as method references are compiled, and constants.
 *
 * <p>The room for variables is counted anew, by instructions. Code that is never reached may have
 * none of its own left, as where a compiler uses ASM, which puts nops there, and still names for
 * its variables: the JVM refuses a class with names beyond that room. They are left out.
 */
final class CodeRewriting implements CodeTransform {
    private static final MethodTypeDesc COUNTED =
            MethodTypeDesc.of(Uses.ARENA, ConstantDescs.CD_int);

    private final Rewriting rewriting;
    private final Rewriting.Result result;
    private final CodeModel code;
    private final String type;
    private final String source;
    private final String method;
    private final int slots;
    private int line;

    /** For the code of one method; counts in the result. */
    CodeRewriting(Rewriting rewriting, Rewriting.Result result, CodeModel code, MethodModel of) {
        this.rewriting = rewriting;
        this.result = result;
        this.code = code;
        ClassModel parent = of.parent().orElseThrow();
        this.type = Rewriting.type(parent);
        this.source = Rewriting.source(parent);
        this.method = of.methodName().stringValue();
        this.slots = slots(code, of);
    }

    @Override
    public void accept(CodeBuilder builder, CodeElement element) {
        switch (element) {
            case LineNumber number -> {
                line = number.line();
                builder.with(number);
            }
            case LocalVariable named
                    when end(named.slot(), TypeKind.from(named.typeSymbol())) > slots -> {
                // Of a variable of dead code.
            }
            case LocalVariableType named when named.slot() >= slots -> {
                // The same.
            }
            case InvokeInstruction call when Uses.isCall(call) -> call(builder, call);
            case InvokeDynamicInstruction call when Uses.isUse(call) -> dynamic(builder, call);
            case LoadConstantInstruction load when Uses.isUse(load) ->
                    builder.loadConstant(replaced(load.constantValue()));
            default -> builder.with(element);
        }
    }

    @Override
    public void atEnd(CodeBuilder builder) {
        code.findAttribute(Attributes.stackMapTable()).ifPresent(builder::with);
    }

    /** How many slots for variables instructions use. */
    private static int slots(CodeModel code, MethodModel method) {
        int slots = method.flags().has(AccessFlag.STATIC) ? 0 : 1;
        for (ClassDesc parameter : method.methodTypeSymbol().parameterList()) {
            slots = end(slots, TypeKind.from(parameter));
        }
        for (CodeElement element : code) {
            int used =
                    switch (element) {
                        case LoadInstruction load -> end(load.slot(), load.typeKind());
                        case StoreInstruction store -> end(store.slot(), store.typeKind());
                        case IncrementInstruction more -> end(more.slot(), TypeKind.INT);
                        default -> 0;
                    };
            slots = Math.max(slots, used);
        }
        return slots;
    }

    private static int end(int slot, TypeKind kind) {
        return slot + kind.slotSize();
    }

    private void call(CodeBuilder builder, InvokeInstruction call) {
        String name = call.name().stringValue();
        boolean confined = name.equals(Uses.CONFINED);
        Plan plan = rewriting.plan();
        if (!plan.changes(confined)) {
            builder.with(call);
            return;
        }
        ClassDesc bridge = rewriting.bridge().bridge();
        if (plan.sites() == null) {
            builder.invokestatic(bridge, name, Uses.TYPE);
        } else {
            builder.loadConstant(plan.sites().number(site(confined)));
            builder.invokestatic(bridge, name, COUNTED);
        }
        result.rewritten++;
    }

    private void dynamic(CodeBuilder builder, InvokeDynamicInstruction call) {
        if (Uses.isSerializable(call)) {
            result.serializable++;
            builder.with(call);
            return;
        }
        builder.invokedynamic(
                DynamicCallSiteDesc.of(
                        call.bootstrapMethod(),
                        call.name().stringValue(),
                        call.typeSymbol(),
                        replaced(call.bootstrapArgs())));
    }

    private ConstantDesc[] replaced(List<ConstantDesc> constants) {
        ConstantDesc[] replaced = new ConstantDesc[constants.size()];
        for (int i = 0; i < replaced.length; i++) {
            replaced[i] = replaced(constants.get(i));
        }
        return replaced;
    }

    private ConstantDesc replaced(ConstantDesc constant) {
        if (!Uses.isUse(constant)) {
            return constant;
        }
        return switch (constant) {
            case DirectMethodHandleDesc handle -> handle(handle);
            case DynamicConstantDesc<?> dynamic ->
                    DynamicConstantDesc.ofNamed(
                            dynamic.bootstrapMethod(),
                            dynamic.constantName(),
                            dynamic.constantType(),
                            replaced(dynamic.bootstrapArgsList()));
            default -> constant;
        };
    }

    private ConstantDesc handle(DirectMethodHandleDesc handle) {
        String name = handle.methodName();
        boolean confined = name.equals(Uses.CONFINED);
        Plan plan = rewriting.plan();
        if (!plan.changes(confined)) {
            return handle;
        }
        CallSite site = site(confined);
        ClassDesc owner =
                plan.sites() == null
                        ? rewriting.bridge().bridge()
                        : rewriting.bridge().reference(site, plan.sites().number(site));
        result.rewritten++;
        return MethodHandleDesc.ofMethod(
                DirectMethodHandleDesc.Kind.STATIC, owner, name, Uses.TYPE);
    }

    private CallSite site(boolean confined) {
        return new CallSite(type, method, line, confined, source);
    }
}
