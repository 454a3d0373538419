package io.parley.bench.sockets;

import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamStack;
import java.net.InetSocketAddress;
import java.util.List;

/** NetPIPE in C, and the streams of the JDK. */
public final class JavaStreamStack implements StreamStack {

    /** The name of plain blocking sockets. */
    public static final String BLOCKING = "java-io";

    /** The name of NetPIPE in C, which is not measured as the others are. */
    public static final String C_NETPIPE = "c-netpipe";

    /** The program of NetPIPE in C. */
    public static final String C_PROGRAM = "NPtcp";

    @Override
    public List<StreamContender> contenders() {
        return List.of(
                new CNetPipeContender(),
                new BlockingStreamContender(),
                new ChannelStreamContender(
                        "java-nio-direct", "blocking channels of java.nio, through one direct buffer", true),
                new ChannelStreamContender(
                        "java-nio-heap", "blocking channels of java.nio, through one heap buffer", false));
    }

    /** Returns the address in a text such as {@code 127.0.0.1:80}. */
    public static InetSocketAddress socketAddress(String address) {
        int colon = address.lastIndexOf(':');
        return new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }
}
