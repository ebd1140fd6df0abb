// A slow network between network namespaces on one machine: what `tc netem` does, for kernels
// without it.
//   delay_line MICROSECONDS MBIT_PER_SECOND NAMESPACE ...
// Makes a device tun0 with the address 10.77.0.K / 24 in the K-th namespace (ip netns add NAME) and
// carries packets between them until it is ended: each leaves its sender at the given rate and
// arrives so many microseconds later. Needs root.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <queue>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

void check(bool fine, const std::string& what) {
  if (!fine) throw std::runtime_error(what + ": " + std::strerror(errno));
}

/// Gives tun0 of this namespace its address and starts it.
void set_address(const char* address) {
  const int control = socket(AF_INET, SOCK_DGRAM, 0);
  check(control >= 0, "socket");
  ifreq request{};
  std::strcpy(request.ifr_name, "tun0");
  sockaddr_in in{};
  in.sin_family = AF_INET;
  const auto put = [&](const char* text, unsigned long what) {
    inet_pton(AF_INET, text, &in.sin_addr);
    std::memcpy(&request.ifr_addr, &in, sizeof in);
    check(ioctl(control, what, &request) == 0, text);
  };
  put(address, SIOCSIFADDR);
  put("255.255.255.0", SIOCSIFNETMASK);
  request.ifr_mtu = 9000;  // as in a cluster; each packet costs time of the cores that compute
  check(ioctl(control, SIOCSIFMTU, &request) == 0, "packets of 9000 bytes");
  for (const char* name : {"tun0", "lo"}) {
    std::strcpy(request.ifr_name, name);
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    check(ioctl(control, SIOCSIFFLAGS, &request) == 0, "up");
  }
  close(control);
}

int open_tun(const std::string& name, int number) {
  const int space = open(("/var/run/netns/" + name).c_str(), O_RDONLY);
  check(space >= 0 && setns(space, CLONE_NEWNET) == 0, name);
  close(space);
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  check(device >= 0, "/dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strcpy(request.ifr_name, "tun0");
  check(ioctl(device, TUNSETIFF, &request) == 0, "tun0");
  set_address(("10.77.0." + std::to_string(number)).c_str());
  return device;
}

struct Packet {
  Clock::time_point due;
  int to;
  std::vector<char> bytes;

  bool operator<(const Packet& other) const { return due > other.due; }
};

/// What lies in the wires.
class Wires {
 public:
  Wires(std::vector<pollfd> devices, double delay, double rate)
      : devices_(std::move(devices)), free_(devices_.size()), delay_(delay), rate_(rate) {}

  void carry_on() {
    timespec pause{0, 20'000'000};
    if (!under_way_.empty()) {
      const auto left = under_way_.top().due - Clock::now();
      pause.tv_nsec = std::clamp<long>(std::chrono::nanoseconds(left).count(), 0, 20'000'000);
    }
    ppoll(devices_.data(), devices_.size(), &pause, nullptr);
    for (std::size_t k = 0; k < devices_.size(); ++k) take_from(k);
    for (; !under_way_.empty() && under_way_.top().due <= Clock::now(); under_way_.pop()) {
      const Packet& packet = under_way_.top();
      (void)!write(packet.to, packet.bytes.data(), packet.bytes.size());
    }
  }

 private:
  static Clock::duration seconds(double s) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
  }

  void take_from(std::size_t k) {
    char bytes[65536];
    for (ssize_t size; (size = read(devices_[k].fd, bytes, sizeof bytes)) > 0;) {
      const auto to = std::size_t(static_cast<unsigned char>(bytes[19])) - 1;  // of 10.77.0.K
      if (size < 20 || (bytes[0] >> 4) != 4 || to >= devices_.size()) continue;
      free_[k] = std::max(free_[k], Clock::now()) + seconds(8 * double(size) / rate_);
      under_way_.push({free_[k] + seconds(delay_), devices_[to].fd, {bytes, bytes + size}});
    }
  }

  std::vector<pollfd> devices_;
  std::vector<Clock::time_point> free_;  ///< when each sender's wire is
  const double delay_, rate_;
  std::priority_queue<Packet> under_way_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 5)
    throw std::runtime_error("usage: delay_line MICROSECONDS MBIT_PER_SECOND NAMESPACE ...");
  std::vector<pollfd> devices;
  for (int k = 3; k < argc; ++k) devices.push_back({open_tun(argv[k], k - 2), POLLIN, 0});
  std::puts("ready");
  std::fflush(stdout);
  for (Wires wires(devices, 1e-6 * std::stod(argv[1]), 1e6 * std::stod(argv[2]));;)
    wires.carry_on();
} catch (const std::exception& error) {
  std::fprintf(stderr, "delay_line: %s\n", error.what());
  return 2;
}
