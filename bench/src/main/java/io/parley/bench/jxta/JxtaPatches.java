package io.parley.bench.jxta;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.channels.Selector;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/**
 * Two repairs to JXTA 2.5, without which there would be nothing to compare with. Each defines a class, before anybody
 * asks for it, with one method changed.
 *
 * <ul>
 *   <li>{@code StdPeerGroup.isCompatible} compares the version of the package {@code java.lang}, which has none since
 *       Java 9, and refuses every module: no peer starts. Here it returns true.
 *   <li>{@code TcpMessenger.write} waits for room in the socket with a selector whose selected keys it never clears, so
 *       the second wait for one message returns 0 at once, is taken for a timeout, and closes the connection: messages
 *       of a megabyte never arrive. Here the keys are cleared before each wait.
 * </ul>
 *
 * <p>Public, like {@link #select}, only because repaired code calls in from JXTA's packages.
 */
public final class JxtaPatches {

    private static final String GROUPS = "net.jxta.impl.peergroup.";
    private static final String TCP = "net.jxta.impl.endpoint.tcp.";

    private static boolean applied;

    private JxtaPatches() {}

    /** To be called before the first use of JXTA; does nothing the second time. */
    static synchronized void apply() throws IOException, ReflectiveOperationException {
        if (applied) {
            return;
        }
        applied = true;
        repair(
                GROUPS + "StdPeerGroup",
                GROUPS + "GenericPeerGroup",
                type -> type.method(ElementMatchers.named("isCompatible")).intercept(FixedValue.value(true)));
        MemberSubstitution select = MemberSubstitution.relaxed()
                .method(ElementMatchers.named("select").and(ElementMatchers.takesArguments(long.class)))
                .replaceWith(JxtaPatches.class.getMethod("select", Selector.class, long.class));
        repair(
                TCP + "TcpMessenger",
                TCP + "TcpTransport",
                type -> type.visit(select.on(ElementMatchers.named("write"))));
    }

    /** {@code neighbour} is a class of the same package that can be loaded without {@code name}. */
    private static void repair(String name, String neighbour, Repair repair)
            throws IOException, ReflectiveOperationException {
        ClassLoader loader = JxtaPatches.class.getClassLoader();
        try (ClassFileLocator locator = ClassFileLocator.ForClassLoader.of(loader)) {
            TypePool types = TypePool.Default.of(locator);
            byte[] repaired = repair.of(
                            new ByteBuddy().redefine(types.describe(name).resolve(), locator))
                    .make()
                    .getBytes();
            Class<?> host = Class.forName(neighbour, false, loader);
            MethodHandles.privateLookupIn(host, MethodHandles.lookup()).defineClass(repaired);
        }
    }

    /** What repaired code calls instead of {@link Selector#select(long)}. */
    public static int select(Selector selector, long timeoutMillis) throws IOException {
        selector.selectedKeys().clear();
        return selector.select(timeoutMillis);
    }

    private interface Repair {
        DynamicType.Builder<?> of(DynamicType.Builder<?> type);
    }
}
