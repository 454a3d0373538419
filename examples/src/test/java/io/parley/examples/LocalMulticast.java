package io.parley.examples;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;

/** Tests whether processes on this machine receive the multicast of each other. In some containers they do not. */
final class LocalMulticast {

    private static final int TIMEOUT_MILLIS = 2000;

    private LocalMulticast() {}

    static boolean works() throws IOException {
        for (NetworkInterface candidate : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            if (candidate.isUp() && isChosen(candidate) && works(candidate)) {
                return true;
            }
        }
        return false;
    }

    /** Selects the interfaces as Parley does. Linux reports no multicast for the loopback interface, although it works. */
    private static boolean isChosen(NetworkInterface candidate) throws IOException {
        return candidate.isLoopback() || (candidate.supportsMulticast() && !candidate.isPointToPoint());
    }

    private static boolean works(NetworkInterface candidate) {
        byte[] sent = ("parley test " + System.nanoTime()).getBytes(StandardCharsets.UTF_8);
        try (MulticastSocket socket = new MulticastSocket(0)) {
            InetAddress group = InetAddress.getByName("239.255.77.12");
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.setNetworkInterface(candidate);
            socket.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
            socket.joinGroup(new InetSocketAddress(group, socket.getLocalPort()), candidate);
            socket.send(new DatagramPacket(sent, sent.length, group, socket.getLocalPort()));
            DatagramPacket received = new DatagramPacket(new byte[sent.length], sent.length);
            socket.receive(received);
            return Arrays.equals(sent, received.getData());
        } catch (IOException e) {
            return false;
        }
    }
}
