package io.parley.bench.jxta;

import io.parley.bench.contender.ClassPatcher;
import java.io.IOException;
import java.nio.channels.Selector;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Patches two defects of JXTA 2.5 that prevent any measurement. Each patch defines a class with one changed method
 * before JXTA loads that class.
 *
 * <ul>
 *   <li>{@code StdPeerGroup.isCompatible} compares the version of the package {@code java.lang}, which has none since
 *       Java 9, and refuses every module, so that no peer starts. The patched method returns true.
 *   <li>{@code TcpMessenger.write} waits for room in the socket with a selector whose selected keys it never clears, so
 *       that the second wait for one message returns 0 at once, is treated as a timeout, and closes the connection.
 *       Messages of a megabyte never arrive. The patched method clears the keys before each wait.
 * </ul>
 *
 * <p>Public, like {@link #select}, only because patched code calls it from the packages of JXTA.
 */
public final class JxtaPatches {

    private static final String GROUPS = "net.jxta.impl.peergroup.";
    private static final String TCP = "net.jxta.impl.endpoint.tcp.";

    private static boolean applied;

    private JxtaPatches() {}

    /** Applies the patches. Must be called before the first use of JXTA; further calls have no effect. */
    static synchronized void apply() throws IOException, ReflectiveOperationException {
        if (applied) {
            return;
        }
        applied = true;
        ClassPatcher.patch(
                GROUPS + "StdPeerGroup",
                GROUPS + "GenericPeerGroup",
                type -> type.method(ElementMatchers.named("isCompatible")).intercept(FixedValue.value(true)));
        MemberSubstitution select = MemberSubstitution.relaxed()
                .method(ElementMatchers.named("select").and(ElementMatchers.takesArguments(long.class)))
                .replaceWith(JxtaPatches.class.getMethod("select", Selector.class, long.class));
        ClassPatcher.patch(
                TCP + "TcpMessenger",
                TCP + "TcpTransport",
                type -> type.visit(select.on(ElementMatchers.named("write"))));
    }

    /**
     * Clears the selected keys and selects. Patched code calls this method instead of {@link Selector#select(long)}.
     */
    public static int select(Selector selector, long timeoutMillis) throws IOException {
        selector.selectedKeys().clear();
        return selector.select(timeoutMillis);
    }
}
