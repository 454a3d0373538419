package io.parley.transport.udp;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;

/** Tells which network interfaces there are. */
@FunctionalInterface
interface InterfaceSource {

    /** Those of this machine. */
    InterfaceSource SYSTEM = () -> NetworkInterface.networkInterfaces().toList();

    List<NetworkInterface> list() throws SocketException;
}
