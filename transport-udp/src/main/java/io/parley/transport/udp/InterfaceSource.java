package io.parley.transport.udp;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;

/** Lists the network interfaces. */
@FunctionalInterface
interface InterfaceSource {

    /** The interfaces of this machine. */
    InterfaceSource SYSTEM = () -> NetworkInterface.networkInterfaces().toList();

    List<NetworkInterface> list() throws SocketException;
}
